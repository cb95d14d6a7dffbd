import { createHmac } from 'node:crypto'
import type { Sandbox } from '../../sandbox.ts'
import type { SimulatedGiftCard } from './books.ts'
import { type GiftCardError, readPin } from './pins.ts'

/** A date far in the future (semantics §6.2), the same for every card. */
const EXPIRATION_DATE = '2099-12-31T23:59:59Z'

/**
 * The card in the provider's books; a new card follows from its PIN. Cards that are activated before they
 * have a PIN start empty.
 */
export function cardOf(
  { books }: Sandbox,
  service: string,
  number: string,
  pin: string | null,
): SimulatedGiftCard | { error: GiftCardError } {
  const initial = pin === null ? { balance: 0 } : readPin(pin)
  if ('error' in initial) return initial
  const card_id = createHmac('sha256', books.secret)
    .update(`gift card ${service}/${number}`)
    .digest('base64url')
  const booked = books.giftCards.cards.get(card_id)
  return (
    booked ?? {
      card_id,
      payment_service_id: service,
      last4: number.slice(-4),
      balance: initial.balance,
      currency: null,
      activated: false,
    }
  )
}

/** The card's members in responses. */
export const cardStateOf = ({ balance, currency }: SimulatedGiftCard) => ({
  balance,
  currency,
  expiration_date: EXPIRATION_DATE,
})
