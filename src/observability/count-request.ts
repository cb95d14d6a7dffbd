import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '../world.ts'

/**
 * Counts an answered request. All unknown paths are counted as one, and so are unknown methods: a client
 * could otherwise add any number of series.
 */
export function countRequest({ metrics }: World, request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.url
  const status = reply.statusCode
  const isKnown = route !== undefined && status !== 405
  metrics.requestAnswered(
    { method: isKnown ? request.method : 'other', route: route ?? 'none', status },
    reply.elapsedTime / 1_000,
  )
}
