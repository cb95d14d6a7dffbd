import type { GiftCardOperationKind } from '../../core/operation.ts'
import type { GiftCardErrorKind } from './pins.ts'

/** What the provider answers about an operation, and keeps. It never holds a number or a PIN. */
export interface GiftCardResult {
  /** The caller's idempotency key. */
  key: string
  kind: GiftCardOperationKind
  /** The provider's own id: of a redemption, an issuance, … */
  id: string
  status: 'approved' | 'refused'
  /** Smallest unit: what moved, or was asked to. */
  amount: number
  currency: string | null
  /** Null where it was approved. */
  code: string | null
  error_kind: GiftCardErrorKind | null
  /** A keyed hash of the number; null on an issuance. */
  card_id: string | null
  /** The redemption that it is about; null on what is about none. */
  redemption_id: string | null
  /** Where an issued card is found. */
  url: string | null
  processed_at: string
}

export interface SimulatedGiftCard {
  card_id: string
  payment_service_id: string
  last4: string
  balance: number
  /** Null until something was booked in a currency. */
  currency: string | null
  activated: boolean
}

export interface Redemption {
  id: string
  payment_service_id: string
  card_id: string
  amount: number
  currency: string
  /** What has gone back to the card. */
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

/** An operation as it is booked; `opening` is the card as it was before, where the books did not know it. */
export interface GiftCardEntry extends BookedGiftCardOperation {
  entry: 'gift-card-operation'
  opening?: SimulatedGiftCard
}

export const openGiftCardBooks = (): GiftCardBooks => ({ operations: new Map(), cards: new Map(), redemptions: new Map() })

/** Refused operations leave no trace but themselves. */
export function bookGiftCardOperation(books: GiftCardBooks, { payment_service_id, fingerprint, result, opening }: GiftCardEntry): void {
  books.operations.set(result.key, { payment_service_id, fingerprint, result })
  if (result.status === 'refused' || result.card_id === null) return
  const card = books.cards.get(result.card_id) ?? (opening && { ...opening })
  if (!card) return
  books.cards.set(card.card_id, card)
  card.currency ??= result.currency
  applyToCard[result.kind](books, card, result)
}

function returnToCard({ redemptions }: GiftCardBooks, card: SimulatedGiftCard, { redemption_id, amount }: GiftCardResult): void {
  const redemption = redemptions.get(redemption_id ?? '')
  if (!redemption) return
  redemption.returned += amount
  card.balance += amount
}

/** What an approved operation does to its card. An issued card is nobody's yet. */
const applyToCard: Record<GiftCardOperationKind, (books: GiftCardBooks, card: SimulatedGiftCard, result: GiftCardResult) => void> = {
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
