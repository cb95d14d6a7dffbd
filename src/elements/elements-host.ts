import type { FastifyRequest } from 'fastify'
import { notFound } from '../api/errors.ts'
import type { World } from '../world.ts'

/** With a host of its own for card fields, no other host shows them. */
export function requireElementsHost({ settings }: World, { host }: Pick<FastifyRequest, 'host'>): void {
  if (settings.elementsOrigin && new URL(settings.elementsOrigin).host !== host) throw notFound()
}
