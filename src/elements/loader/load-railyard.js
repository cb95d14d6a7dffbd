/** @import { RailyardElements, RailyardElementsOptions } from './types.ts' */
import { createCard } from './card-element.js'
import { createCardFields } from './card-field-elements.js'
import { createCheckout } from './checkout-element.js'

/**
 * Prepares Railyard's elements for this page. Rejects with a `TypeError` for an origin that is none.
 * @param {RailyardElementsOptions} options
 * @returns {Promise<RailyardElements>}
 */
export async function loadRailyard({ origin, session, token }) {
  const base = origin.replace(/\/+$/, '')
  const { protocol, origin: host } = new URL(base)
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('railyard: origin begins with https:// or http://')
  document.head.append(Object.assign(document.createElement('link'), { rel: 'preconnect', href: host }))

  let current = { session, token }
  /** @type {Set<(session: string) => void>} */
  const listeners = new Set()
  const context = {
    base,
    session: () => current.session,
    token: () => current.token,
    /** @param {(session: string) => void} listener */
    onSession(listener) {
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
