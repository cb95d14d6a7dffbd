import type { FastifyRequest } from 'fastify'

/**
 * The path of a request's operation, with the ids that the request names in their canonical form. The router takes a trailing slash, escaped characters, UUIDs in capitals and an
 * absolute URL for the same operation, so whatever must be the same for the same operation is derived from this, never from the URL as it came.
 */
export const canonicalPath = ({ routeOptions, params }: Pick<FastifyRequest, 'params' | 'routeOptions'>): string =>
  fillTemplate(routeOptions.url ?? '', params, (value) => value)

/** The template of a route with its parameters, each as `written`. */
export function fillTemplate(template: string, params: unknown, written: (value: string, name: string) => string): string {
  const named = new Map(typeof params === 'object' && params !== null ? Object.entries(params) : [])
  return template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(written(String(named.get(name) ?? ''), name)))
}
