import type { GiftCardOperationKind } from '../../core/operation.ts'
import type { GiftCardErrorKind } from './pins.ts'

/** The provider's answer about an operation, which it stores. It never has a number or a PIN. */
export interface GiftCardResult {
  /** The caller's idempotency key. */
  key: string
  kind: GiftCardOperationKind
  /** The provider's own id of the redemption, issuance … */
  id: string
  status: 'approved' | 'refused'
  /** In the smallest unit: the amount that moved, or was requested. */
  amount: number
  currency: string | null
  /** Null if it was approved. */
  code: string | null
  error_kind: GiftCardErrorKind | null
  /** A keyed hash of the number; null on an issuance. */
  card_id: string | null
  /** The redemption that it is about; null if there is none. */
  redemption_id: string | null
  /** The URL of an issued card. */
  url: string | null
  processed_at: string
}

export interface SimulatedGiftCard {
  card_id: string
  payment_service_id: string
  last4: string
  balance: number
  /** Null until the first operation in a currency. */
  currency: string | null
  activated: boolean
}

export interface Redemption {
  id: string
  payment_service_id: string
  card_id: string
  amount: number
  currency: string
  /** The amount that went back to the card. */
  returned: number
}

export interface BookedGiftCardOperation {
  payment_service_id: string
  fingerprint: string
  result: GiftCardResult
}

export interface GiftCardBooks {
  operations: Map<string, BookedGiftCardOperation>
  cards: Map<string, SimulatedGiftCard>
  redemptions: Map<string, Redemption>
}

/** An operation to book; `opening` is the card as it was before, if the books do not have it. */
export interface GiftCardEntry extends BookedGiftCardOperation {
  entry: 'gift-card-operation'
  opening?: SimulatedGiftCard
}

export const openGiftCardBooks = (): GiftCardBooks => ({
  operations: new Map(),
  cards: new Map(),
  redemptions: new Map(),
})

/** Books an operation. A refused one changes no card. */
export function bookGiftCardOperation(
  books: GiftCardBooks,
  { payment_service_id, fingerprint, result, opening }: GiftCardEntry,
): void {
  books.operations.set(result.key, { payment_service_id, fingerprint, result })
  if (result.status === 'refused' || result.card_id === null) return
  const card = books.cards.get(result.card_id) ?? (opening && { ...opening })
  if (!card) return
  books.cards.set(card.card_id, card)
  card.currency ??= result.currency
  applyToCard[result.kind](books, card, result)
}

function returnToCard(
  { redemptions }: GiftCardBooks,
  card: SimulatedGiftCard,
  { redemption_id, amount }: GiftCardResult,
): void {
  const redemption = redemptions.get(redemption_id ?? '')
  if (!redemption) return
  redemption.returned += amount
  card.balance += amount
}

/** The effect of an approved operation on its card. An issued card has no number in the books. */
const applyToCard: Record<
  GiftCardOperationKind,
  (books: GiftCardBooks, card: SimulatedGiftCard, result: GiftCardResult) => void
> = {
  redeem({ redemptions }, card, { id, amount, currency }) {
    const { payment_service_id, card_id } = card
    card.balance -= amount
    redemptions.set(id, { id, payment_service_id, card_id, amount, currency: currency ?? '', returned: 0 })
  },
  reverse: returnToCard,
  refund: returnToCard,
  activate(_books, card, { amount }) {
    card.balance += amount
    card.activated = true
  },
  issue() {},
}
