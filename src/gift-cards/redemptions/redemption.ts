import type {
  GiftCardErrorCode,
  GiftCardRedemptionStatus,
  GiftCardServiceProvider,
} from './redemption.schema.ts'

/**
 * The part of a payment that one gift card pays, as the transaction's row keeps it. Amounts in the smallest
 * unit of the transaction's currency.
 */
export interface Redemption {
  id: string
  /** `created`: not decided. `skipped`: never sent, because another part of the payment failed. */
  status: GiftCardRedemptionStatus
  amount: number
  /** The amount that was put back on the card, by refunds or because another part of the payment failed. */
  refunded: number
  /** The amount that refunds under way have reserved. */
  refund_reserved: number
  /** The gift card service's own id of the redemption. */
  reference: string | null
  error_code: GiftCardErrorCode | null
  raw_error_code: string | null
  raw_error_message: string | null
  gift_card: { id: string | null; bin: string; sub_bin: string; last4: string }
  /** Number and PIN of the card, sealed for this redemption; null as soon as that is decided. */
  sealed: string | null
  /** The redemption had to be undone and the gift card service refused: the operator must look at it. */
  stuck: boolean
}

/** The gift cards' part of a transaction, in the order in which the cards are redeemed. */
export interface GiftCardTender {
  service: { id: string; gift_card_service_definition_id: GiftCardServiceProvider; display_name: string }
  redemptions: Redemption[]
}

/** Changes of redemptions by their ids: members that are replaced, and amounts that are added. */
export type RedemptionChanges = Record<
  string,
  { set?: Partial<Redemption>; refunded?: number; reserved?: number }
>

/** The redemptions after these changes, as the database's function of the same name computes them. */
export const redemptionsAfter = (
  { service, redemptions }: GiftCardTender,
  changes: RedemptionChanges,
): GiftCardTender => ({
  service,
  redemptions: redemptions.map((redemption) => {
    const { set, refunded = 0, reserved = 0 } = changes[redemption.id] ?? {}
    const after = { ...redemption, ...set }
    return {
      ...after,
      refunded: after.refunded + refunded,
      refund_reserved: after.refund_reserved + reserved,
    }
  }),
})

/** Undefined: the payment has no redemption of that id. */
export const redemptionById = (
  giftCards: GiftCardTender | null,
  id: string | undefined,
): Redemption | undefined => giftCards?.redemptions.find((redemption) => redemption.id === id)

/** What can still be refunded of a redemption: without what refunds have put back or have reserved. */
export const leftOfRedemption = ({ amount, refunded, refund_reserved }: Redemption): number =>
  amount - refunded - refund_reserved

/** The next redemption to send; undefined: all are decided. */
export const nextRedemption = ({ redemptions }: GiftCardTender): Redemption | undefined =>
  redemptions.find(({ status }) => status === 'created')

/** A redemption that took effect and whose money must go back; undefined: none is left. */
export const nextRedemptionToUndo = ({ redemptions }: GiftCardTender): Redemption | undefined =>
  redemptions.find(
    ({ status, amount, refunded, stuck }) => status === 'succeeded' && refunded < amount && !stuck,
  )

/** The changes that skip every redemption that was not sent, and forget its card. */
export const skipUndecided = ({ redemptions }: GiftCardTender): RedemptionChanges =>
  Object.fromEntries(
    redemptions
      .filter(({ status }) => status === 'created')
      .map(({ id }) => [id, { set: { status: 'skipped', sealed: null } }]),
  )

/** The sum that gift cards pay of a transaction. */
export const giftCardAmount = (giftCards: GiftCardTender | null): number =>
  giftCards?.redemptions.reduce((total, { amount }) => total + amount, 0) ?? 0
