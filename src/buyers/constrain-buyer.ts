import { type Caller, hasEmbedToken } from '../api/auth/caller.ts'
import { embedConstraintsOf } from '../api/auth/embed-constraints.ts'
import type { BuyerSelectors } from './buyer.store.ts'

/**
 * The buyer that a request may speak of: a browser's is the one that its token pins, and none where it pins none; a server names any (SEMANTICS §0.7).
 * What a browser sends beside its token is refused before (`embed/`).
 */
export function constrainBuyer(caller: Caller, given: BuyerSelectors): BuyerSelectors {
  if (!hasEmbedToken(caller)) return { buyer_id: given.buyer_id ?? null, buyer_external_identifier: given.buyer_external_identifier ?? null }
  const { buyer_id, buyer_external_identifier } = embedConstraintsOf(caller)
  if (buyer_id !== undefined) return { buyer_id }
  return buyer_external_identifier === undefined ? {} : { buyer_external_identifier }
}
