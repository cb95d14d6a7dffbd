import { badRequest, type Detail } from '../api/errors.ts'
import type { Token } from '../api/token.ts'

const compared = ['amount', 'currency', 'buyer_id', 'buyer_external_identifier'] as const
const replaced = ['metadata', 'cart_items', 'connection_options'] as const

/**
 * A browser's token fixes some values of the body that came with it: a different one is refused, the open ones are replaced (SEMANTICS §1.4). Before
 * the shape is checked, so that what a token pins must have the shape too.
 */
export function pin(body: unknown, { embed }: Token): unknown {
  if (!embed || typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const given: Record<string, unknown> = { ...body }
  const details: Detail[] = compared
    .filter((field) => embed[field] !== undefined && given[field] !== undefined && given[field] !== null && given[field] !== embed[field])
    .map((field) => ({ location: 'body', pointer: `/${field}`, message: 'differs from the value that the token pins', type: 'value_error' }))
  if (details.length > 0) throw badRequest('Request failed validation', details)
  const fixed = [...compared, ...replaced].filter((field) => embed[field] !== undefined).map((field) => [field, embed[field]])
  return { ...given, ...Object.fromEntries(fixed) }
}
