import type { Caller } from '../api/caller.ts'
import type { Detail } from '../api/errors.ts'
import { pinsOf, refuseOthers } from '../api/pinned.ts'
import type { BuyerSelectors } from './buyer.store.ts'

/** What of a request a browser's token may fix besides the buyer. */
interface Pinnable extends BuyerSelectors {
  amount?: number | null
  currency?: string | null
}

/**
 * The buyer that a request may speak of: of a browser, the one that its token pins, whatever it leaves out. Throws 400 where a browser names
 * another buyer, amount or currency than its token does. `location` is where the request says so.
 */
export function pinnedBuyer(caller: Caller, given: Pinnable, location: Detail['location']): BuyerSelectors {
  const pins = pinsOf(caller)
  refuseOthers(pins, given, location)
  const { buyer_id, buyer_external_identifier } = pins
  if (buyer_id !== undefined) return { buyer_id }
  if (buyer_external_identifier !== undefined) return { buyer_external_identifier }
  return { buyer_id: given.buyer_id ?? null, buyer_external_identifier: given.buyer_external_identifier ?? null }
}
