import { compared, refuseOthers } from '../api/pinned.ts'
import type { Token } from '../api/token.ts'

const replaced = ['metadata', 'cart_items', 'connection_options'] as const

/**
 * A browser's token fixes some values of the body that came with it: a different one is refused, the open ones are replaced (SEMANTICS §1.4). Before
 * the shape is checked, so that what a token pins must have the shape too.
 */
export function pin(body: unknown, { embed }: Token): unknown {
  if (!embed || typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const given: Record<string, unknown> = { ...body }
  refuseOthers(embed, given, 'body')
  const fixed = [...compared, ...replaced].filter((field) => embed[field] !== undefined).map((field) => [field, embed[field]])
  return { ...given, ...Object.fromEntries(fixed) }
}
