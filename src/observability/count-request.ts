import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '../world.ts'

/** Counts a request that was answered. What a stranger makes up, a path or a method, is not told apart: it would be a series of its own each time. */
export function countRequest({ metrics }: World, request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.url
  const status = reply.statusCode
  const isKnown = route !== undefined && status !== 405
  metrics.requestAnswered({ method: isKnown ? request.method : 'other', route: route ?? 'none', status }, reply.elapsedTime / 1_000)
}
