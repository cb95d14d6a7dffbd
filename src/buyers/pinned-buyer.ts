import { type Caller, isEmbedded } from '../api/caller.ts'
import { badRequest, type Detail } from '../api/errors.ts'
import type { BuyerSelectors } from './buyer.store.ts'

/** What of a request a browser's token may fix, and gift cards know (SEMANTICS §1.4). */
interface Pinnable extends BuyerSelectors {
  amount?: number | null
  currency?: string | null
}

/**
 * The buyer that a request may speak of: of a browser, the one that its token pins, whatever it leaves out. Throws 400 where a browser names
 * another buyer, amount or currency than its token does. `location` is where the request says so.
 */
export function pinnedBuyer(caller: Caller, given: Pinnable, location: Detail['location']): BuyerSelectors {
  const embed = isEmbedded(caller) ? caller.token.embed : undefined
  const { buyer_id, buyer_external_identifier } = embed ?? {}
  const pinsBuyer = buyer_id !== undefined || buyer_external_identifier !== undefined
  const wrong = (['amount', 'currency', 'buyer_id', 'buyer_external_identifier'] as const).filter((name) => {
    const pinned = embed?.[name] ?? undefined
    const isOpen = pinned === undefined && !(pinsBuyer && name.startsWith('buyer'))
    return !isOpen && (given[name] ?? null) !== null && given[name] !== pinned
  })
  if (wrong.length > 0)
    throw badRequest(
      'Request failed validation',
      wrong.map((name) => blame(name, location)),
    )
  if (!pinsBuyer) return { buyer_id: given.buyer_id ?? null, buyer_external_identifier: given.buyer_external_identifier ?? null }
  return buyer_id === undefined ? { buyer_external_identifier: buyer_external_identifier ?? null } : { buyer_id }
}

const blame = (name: string, location: Detail['location']): Detail => ({
  location,
  pointer: location === 'body' ? `/${name}` : name,
  message: 'differs from the value that the token pins',
  type: 'value_error',
})
