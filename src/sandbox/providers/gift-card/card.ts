import { createHmac } from 'node:crypto'
import type { Sandbox } from '../../sandbox.ts'
import type { SimulatedGiftCard } from './books.ts'
import { type GiftCardError, readPin } from './pins.ts'

/** Far in the future (semantics §6.2), and the same for every card. */
const EXPIRATION_DATE = '2099-12-31T23:59:59Z'

/** The card of the provider's books, or as its PIN says where the books do not know it. Some are activated before they have a PIN: those begin empty. */
export function cardOf({ books }: Sandbox, service: string, number: string, pin: string | null): SimulatedGiftCard | { error: GiftCardError } {
  const read = pin === null ? { balance: 0 } : readPin(pin)
  if ('error' in read) return read
  const card_id = createHmac('sha256', books.secret).update(`gift card ${service}/${number}`).digest('base64url')
  const known = books.giftCards.cards.get(card_id)
  return known ?? { card_id, payment_service_id: service, last4: number.slice(-4), balance: read.balance, currency: null, activated: false }
}

/** A card as callers are told of it. */
export const cardStateOf = ({ balance, currency }: SimulatedGiftCard) => ({ balance, currency, expiration_date: EXPIRATION_DATE })
