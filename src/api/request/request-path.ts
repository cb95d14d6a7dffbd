import type { FastifyRequest } from 'fastify'

/**
 * The path of a request's operation with its ids in their canonical form. The router accepts a trailing
 * slash, escaped characters, UUIDs in capitals and an absolute URL for the same operation. A value that must
 * be the same for the same operation is derived from this path, not from the URL.
 */
export const canonicalPath = ({
  routeOptions,
  params,
}: Pick<FastifyRequest, 'params' | 'routeOptions'>): string =>
  fillTemplate(routeOptions.url ?? '', params, (value) => value)

/**
 * The template of a route, filled with its parameters; `format` turns each value into the text to fill in.
 */
export function fillTemplate(
  template: string,
  params: unknown,
  format: (value: string, name: string) => string,
): string {
  const values = new Map(typeof params === 'object' && params !== null ? Object.entries(params) : [])
  return template.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(format(String(values.get(name) ?? ''), name)),
  )
}
