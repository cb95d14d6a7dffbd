import { type Caller, hasEmbedToken } from '../api/auth/caller.ts'
import { embedConstraintsOf } from '../api/auth/embed-constraints.ts'
import { invalidQuery } from '../api/errors.ts'
import type { BuyerKey, BuyerSelectors } from './buyer.store.ts'

/**
 * The buyer that a request may name: a server may name any; a browser only the buyer in its token, and none
 * if the token has none (semantics §0.7). A browser's body that contradicts its token is refused before
 * (`embed/`).
 */
export function constrainBuyer(caller: Caller, selectors: BuyerSelectors): BuyerSelectors {
  if (!hasEmbedToken(caller))
    return {
      buyer_id: selectors.buyer_id ?? null,
      buyer_external_identifier: selectors.buyer_external_identifier ?? null,
    }
  const { buyer_id, buyer_external_identifier } = embedConstraintsOf(caller)
  if (buyer_id !== undefined) return { buyer_id }
  return buyer_external_identifier === undefined ? {} : { buyer_external_identifier }
}

/**
 * The buyer whose stored methods or cards a request lists. Undefined: a browser asks, and its token has no
 * buyer. Throws 400 if a server names no buyer.
 */
export function listedBuyer(caller: Caller, selectors: BuyerSelectors): Required<BuyerKey> | undefined {
  const { buyer_id: id = null, buyer_external_identifier: externalIdentifier = null } = constrainBuyer(
    caller,
    selectors,
  )
  if (id !== null || externalIdentifier !== null) return { id, externalIdentifier }
  if (hasEmbedToken(caller)) return undefined
  throw invalidQuery('buyer_id', 'is required, or buyer_external_identifier')
}
