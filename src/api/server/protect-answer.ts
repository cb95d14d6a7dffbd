import type { FastifyReply } from 'fastify'

/** No browser guesses that an answer is a page, and what says something of payments and people is kept by no cache, unless the answer says otherwise. */
export function protectAnswer(reply: FastifyReply): void {
  reply.header('x-content-type-options', 'nosniff')
  if (!reply.hasHeader('cache-control') && isJson(reply.getHeader('content-type'))) reply.header('cache-control', 'no-store')
}

/** What has no type yet is serialized as JSON. */
const isJson = (type: unknown) => type === undefined || String(type).startsWith('application/json')
