import type { GiftCardErrorCode, GiftCardRedemptionStatus, GiftCardServiceProvider } from './redemption.schema.ts'

/** The part of a payment that one gift card pays, as the transaction's row keeps it. Amounts in the smallest unit of the transaction's currency. */
export interface Redemption {
  id: string
  /** `created`: not decided. `skipped`: never asked for, because another part of the payment failed. */
  status: GiftCardRedemptionStatus
  amount: number
  /** What was put back on the card, by refunds or because another part of the payment failed. */
  refunded: number
  /** Taken out of what can be put back by refunds under way. */
  refund_reserved: number
  /** The gift card service's own id of the redemption. */
  reference: string | null
  error_code: GiftCardErrorCode | null
  raw_error_code: string | null
  raw_error_message: string | null
  gift_card: { id: string | null; bin: string; sub_bin: string; last4: string }
  /** Number and PIN of the card, sealed for this redemption; null as soon as that is decided. */
  sealed: string | null
  /** It had to be undone, and the gift card service refused: a person must look at it. */
  stuck: boolean
}

/** What gift cards pay of a transaction, in the order in which they are asked. */
export interface GiftCardTender {
  service: { id: string; gift_card_service_definition_id: GiftCardServiceProvider; display_name: string }
  redemptions: Redemption[]
}

/** Changes of redemptions by their ids: members that are replaced, and amounts that are added. */
export type RedemptionChanges = Record<string, { set?: Partial<Redemption>; refunded?: number; reserved?: number }>

/** As the database's function of this name: what becomes of the redemptions. */
export const redemptionsAfter = ({ service, redemptions }: GiftCardTender, changes: RedemptionChanges): GiftCardTender => ({
  service,
  redemptions: redemptions.map((redemption) => {
    const { set, refunded = 0, reserved = 0 } = changes[redemption.id] ?? {}
    const after = { ...redemption, ...set }
    return { ...after, refunded: after.refunded + refunded, refund_reserved: after.refund_reserved + reserved }
  }),
})

/** The redemption of that id; undefined where the payment has none. */
export const redemptionById = (giftCards: GiftCardTender | null, id: string | undefined): Redemption | undefined =>
  giftCards?.redemptions.find((redemption) => redemption.id === id)

/** The redemption that is to be asked for next; undefined when all are decided. */
export const nextRedemption = ({ redemptions }: GiftCardTender): Redemption | undefined => redemptions.find(({ status }) => status === 'created')

/** A redemption that took effect and whose money must go back; undefined when none is left. */
export const nextRedemptionToUndo = ({ redemptions }: GiftCardTender): Redemption | undefined =>
  redemptions.find(({ status, amount, refunded, stuck }) => status === 'succeeded' && refunded < amount && !stuck)

/** Every redemption that has not been asked for is skipped, and forgets its card. */
export const skipUndecided = ({ redemptions }: GiftCardTender): RedemptionChanges =>
  Object.fromEntries(redemptions.filter(({ status }) => status === 'created').map(({ id }) => [id, { set: { status: 'skipped', sealed: null } }]))

/** The sum of what gift cards are to pay. */
export const giftCardAmount = (giftCards: GiftCardTender | null): number =>
  giftCards?.redemptions.reduce((total, { amount }) => total + amount, 0) ?? 0
