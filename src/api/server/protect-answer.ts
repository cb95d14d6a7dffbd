import type { FastifyReply } from 'fastify'

/**
 * Keeps browsers from taking an answer for a page, and caches from keeping JSON, which may hold payments and
 * people, unless the answer says otherwise.
 */
export function protectAnswer(reply: FastifyReply): void {
  reply.header('x-content-type-options', 'nosniff')
  if (!reply.hasHeader('cache-control') && isJson(reply.getHeader('content-type')))
    reply.header('cache-control', 'no-store')
}

/** An answer without a content type is serialized as JSON. */
const isJson = (type: unknown) => type === undefined || String(type).startsWith('application/json')
