import { type CardElement, type CardOptions, createCard } from './card.ts'
import { type CardFields, type CardFieldsOptions, createCardFields } from './card-fields.ts'
import { type CheckoutElement, type CheckoutOptions, createCheckout } from './checkout.ts'

export interface RailyardElementsOptions {
  /** Where Railyard serves its card fields: `ELEMENTS_ORIGIN`, or `PUBLIC_URL` without it. */
  origin: string
  /** The id of a checkout session, which your server has made. The card is put into it. */
  session: string
  /**
   * For `checkout()`: a token with the scope `embed` that your server has signed. It fixes amount, currency and
   * buyer.
   */
  token?: string
}

export interface RailyardElements {
  /** All fields of a card in one frame. */
  card(options?: CardOptions): CardElement
  /** Each field in a frame of its own. */
  cardFields(options?: CardFieldsOptions): CardFields
  /** The ways to pay, with the card form among them. Throws a `TypeError` without a `token`. */
  checkout(options?: CheckoutOptions): CheckoutElement
  /**
   * Another checkout session gets what is submitted from now on, such as for a second attempt. `token`: another
   * one for a checkout, such as after its cart has changed.
   */
  useSession(session: string, token?: string): void
}

/** Prepares Railyard's elements for this page. Throws a `TypeError` for an origin that is none. */
export async function loadRailyard({
  origin,
  session,
  token,
}: RailyardElementsOptions): Promise<RailyardElements> {
  const base = origin.replace(/\/+$/, '')
  const { protocol, origin: host } = new URL(base)
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('railyard: origin begins with https:// or http://')
  const link = Object.assign(document.createElement('link'), { rel: 'preconnect', href: host })
  document.head.append(link)

  let current = { session, token }
  const listeners = new Set<(session: string) => void>()
  const context = {
    base,
    session: () => current.session,
    token: () => current.token,
    onSession(listener: (session: string) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  return {
    card: (options) => createCard(context, options),
    cardFields: (options) => createCardFields(context, options),
    checkout: (options) => createCheckout(context, options),
    useSession(next, nextToken = current.token) {
      if (next === current.session && nextToken === current.token) return
      current = { session: next, token: nextToken }
      for (const listener of listeners) listener(next)
    },
  }
}
