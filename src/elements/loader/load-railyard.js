import { createCard } from './card.js'
import { createCardFields } from './card-fields.js'

/** @import { RailyardElements, RailyardElementsOptions } from '../../../packages/elements/src/railyard-elements.ts' */

/**
 * Prepares Railyard's elements for this page. Throws a `TypeError` for an origin that is none.
 * @param {RailyardElementsOptions} options
 * @returns {Promise<RailyardElements>}
 */
export async function loadRailyard({ origin, session }) {
  const base = origin.replace(/\/+$/, '')
  const { protocol, origin: host } = new URL(base)
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('railyard: origin begins with https:// or http://')
  const link = Object.assign(document.createElement('link'), { rel: 'preconnect', href: host })
  document.head.append(link)

  let current = session
  /** @type {Set<(session: string) => void>} */
  const listeners = new Set()
  const context = {
    base,
    session: () => current,
    onSession(/** @type {(session: string) => void} */ listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  return {
    card: (options) => createCard(context, options),
    cardFields: (options) => createCardFields(context, options),
    useSession(next) {
      current = next
      for (const listener of listeners) listener(next)
    },
  }
}
