import { type Caller, isEmbedded } from './caller.ts'
import { badRequest, type Detail } from './errors.ts'

/** The amount and currency of a payment that is being asked about. */
interface Terms {
  amount?: number
  currency?: string
}

/**
 * What a browser's token pins of them; empty for other callers. 400 where the request names something else (SEMANTICS §1.4, 1). What it omits is not held
 * against it.
 */
export function pinnedTerms(caller: Caller, given: { [Name in keyof Terms]: Terms[Name] | null }, location: Detail['location']): Terms {
  const { embed } = caller.token
  if (!embed || !isEmbedded(caller)) return {}
  const { amount, currency } = embed
  const pinned: Terms = { ...(amount !== undefined && { amount }), ...(currency !== undefined && { currency }) }
  const details = (['amount', 'currency'] as const)
    .filter((field) => pinned[field] !== undefined && (given[field] ?? pinned[field]) !== pinned[field])
    .map((field): Detail => {
      const pointer = location === 'body' ? `/${field}` : field
      return { location, pointer, message: 'differs from the value that the token pins', type: 'value_error' }
    })
  if (details.length > 0) throw badRequest('Request failed validation', details)
  return pinned
}
