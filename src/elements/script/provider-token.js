import { isSessionId, putFields } from './session-fields.js'

/** What a provider's script may tell of a card beside its token, in the API's form. @type {Record<string, RegExp>} */
const facts = {
  bin: /^\d{6,8}$/,
  card_suffix: /^\d{4}$/,
  card_scheme: /^[a-z-]{1,30}$/,
  expiration_date: /^\d\d\/\d\d$/,
}

/**
 * Puts the tokens that a provider's script made in the page into the checkout session.
 * @param {import('./frame.js').FrameConfig} config
 * @param {(message: object) => void} tellPage
 */
export function passTokens({ api, session }, tellPage) {
  let current = session

  /** @param {Record<string, unknown>} message */
  async function pass({ id, token, ...told }) {
    /** @type {Record<string, string>} */
    const known = {}
    for (const [name, pattern] of Object.entries(facts)) {
      const value = Object.hasOwn(told, name) ? told[name] : null
      if (typeof value === 'string' && pattern.test(value)) known[name] = value
    }
    const payment_method = { method: 'provider-token', token, ...known }
    const code = isToken(token) ? await putFields(api, current, { payment_method }) : 'failed'
    if (code) tellPage({ kind: 'failed', id, code })
    else
      tellPage({
        kind: 'submitted',
        id,
        brand: known['card_scheme'] ?? null,
        last4: known['card_suffix'] ?? null,
      })
  }

  return {
    /** @param {Record<string, unknown>} message */
    hearPage(message) {
      if (message['kind'] === 'token') void pass(message)
      else if (message['kind'] === 'session' && isSessionId(message['session'])) current = message['session']
    },
  }
}

/** A text, or an object of texts: what the scripts of providers make. @param {unknown} token */
const isToken = (token) =>
  (typeof token === 'string' && token.length <= 5_000) ||
  (typeof token === 'object' &&
    token !== null &&
    !Array.isArray(token) &&
    Object.values(token).every((value) => typeof value === 'string' || value === undefined))
