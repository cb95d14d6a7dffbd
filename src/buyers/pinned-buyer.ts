import { invalidQuery } from '../api/errors.ts'
import type { Embed } from '../api/token.ts'
import type { BuyerSelectors } from './buyer.store.ts'

/** The buyer that a browser may ask about: the one that its token pins, whatever it leaves out. Throws 400 where it names another (SEMANTICS §1.4). */
export function pinnedBuyer(embed: Embed | undefined, asked: BuyerSelectors): BuyerSelectors {
  const pinned: BuyerSelectors = {
    ...(embed?.buyer_id !== undefined && { buyer_id: embed.buyer_id }),
    ...(embed?.buyer_external_identifier !== undefined && { buyer_external_identifier: embed.buyer_external_identifier }),
  }
  if (Object.keys(pinned).length === 0) return asked
  for (const selector of ['buyer_id', 'buyer_external_identifier'] as const) {
    const named = asked[selector] ?? null
    if (named !== null && named !== (pinned[selector] ?? null)) throw invalidQuery(selector, 'differs from the buyer that the token pins')
  }
  return pinned
}
