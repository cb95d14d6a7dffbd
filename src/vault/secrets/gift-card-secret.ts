import type { GiftCardForCall } from '../../connectors/contract/gift-card-connector.ts'
import type { World } from '../../world.ts'
import { type Envelope, openEnvelope, rowContext, sealEnvelope } from '../envelope.ts'

/** The digits of a gift card's number that may be stored and shown (semantics §10). */
export interface GiftCardDigits {
  /** The first six digits. */
  bin: string
  /** The three that follow. */
  sub_bin: string
  last4: string
}

export const giftCardDigits = (number: string): GiftCardDigits => ({
  bin: number.slice(0, 6),
  sub_bin: number.slice(6, 9),
  last4: number.slice(-4),
})

/**
 * Keyed HMAC of the number, 64 hex digits: it is the same for the same card, and without the key no number
 * can be tried against it.
 */
export const giftCardFingerprint = ({ cipher }: Pick<World, 'cipher'>, number: string): string =>
  cipher.mac('gift-card-fingerprint', number).toString('hex')

const contextOf = (account: string, id: string) => rowContext('gift_cards', account, id)

/** Seals the number and PIN for the row of that id. */
export const sealGiftCard = (
  world: Pick<World, 'keys'>,
  account: string,
  id: string,
  { number, pin }: GiftCardForCall,
): Promise<Envelope> => sealEnvelope(world, JSON.stringify({ number, pin }), contextOf(account, id))

/** The number and PIN of a stored gift card, for one call. */
export async function openGiftCard(
  world: Pick<World, 'keys'>,
  row: Envelope & { merchant_account_id: string; id: string },
): Promise<GiftCardForCall> {
  return JSON.parse(await openEnvelope(world, row, contextOf(row.merchant_account_id, row.id)))
}
