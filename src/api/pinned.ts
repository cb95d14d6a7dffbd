import { type Caller, isEmbedded } from './caller.ts'
import { badRequest, type Detail } from './errors.ts'
import type { Embed } from './token.ts'

export const compared = ['amount', 'currency', 'buyer_id', 'buyer_external_identifier'] as const
type Pinnable = { readonly [Name in (typeof compared)[number]]?: unknown }

/** The values that the caller's token fixes; empty for whoever is no browser (SEMANTICS §1.4). */
export const pinsOf = (caller: Caller): Embed => (isEmbedded(caller) ? (caller.token.embed ?? {}) : {})

/**
 * 400 where the request names another amount, currency or buyer than the token pins; what it omits is not held against it. A buyer who is pinned by one
 * name may not be asked for by the other. `location` is where the request says so.
 */
export function refuseOthers(pins: Embed, given: Pinnable, location: Detail['location']): void {
  const pinsBuyer = pins.buyer_id !== undefined || pins.buyer_external_identifier !== undefined
  const details = compared
    .filter((name) => {
      const isOpen = pins[name] === undefined && !(pinsBuyer && name.startsWith('buyer'))
      return !isOpen && (given[name] ?? null) !== null && given[name] !== pins[name]
    })
    .map((name): Detail => {
      const pointer = location === 'body' ? `/${name}` : name
      return { location, pointer, message: 'differs from the value that the token pins', type: 'value_error' }
    })
  if (details.length > 0) throw badRequest('Request failed validation', details)
}
