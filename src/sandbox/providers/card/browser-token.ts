import type { StoredCard } from '../../core/operation.ts'
import type { Sandbox } from '../../sandbox.ts'
import { storeCard } from './card-token.ts'
import { cardDigits } from './checks.ts'

/** A card behind a token of the provider's browser script. */
interface BrowserCard {
  number: string
  scheme: string
  expirationDate: string
}

/**
 * What a browser script of this provider would produce: one token for each test card. A real script's token
 * pays once; these pay as often as wanted.
 */
const browserCards = new Map<string, BrowserCard>([
  ['tok_visa', { number: '4111111111111111', scheme: 'visa', expirationDate: '12/39' }],
  ['tok_mastercard', { number: '5555555555554444', scheme: 'mastercard', expirationDate: '11/38' }],
  ['tok_amex', { number: '378282246310005', scheme: 'amex', expirationDate: '10/37' }],
])

/** The digits of the card behind a browser token; undefined: there is no such token. */
export const digitsOfBrowserToken = (token: string) => {
  const card = browserCards.get(token)
  return card && cardDigits(card.number)
}

/** Stores the card behind a browser token under `key`; undefined: there is no such token. */
export function storeBrowserCard(
  sandbox: Sandbox,
  service: string,
  key: string,
  token: string,
): StoredCard | undefined {
  const card = browserCards.get(token)
  if (!card) return undefined
  const { number, scheme, expirationDate } = card
  const { bin, last4 } = cardDigits(number)
  return {
    token: storeCard(sandbox, service, key, number),
    scheme,
    bin,
    last4,
    expiration_date: expirationDate,
  }
}
