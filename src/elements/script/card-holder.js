import { isCode } from './card-fields.js'
import { digitsOf, passesLuhn, readExpiry, schemeOf } from './card-format.js'
import { shortText } from './frame.js'
import { isSessionId, putFields } from './session-fields.js'

/**
 * Holds what the fields of a card contain, and sends it to the checkout session. The page learns the brand, what
 * is complete, and the last four digits of a whole number.
 * @param {import('./frame.js').FrameConfig} config
 * @param {(message: import('./card-fields.js').ToFields) => void} tellFields
 * @param {(message: object) => void} tellPage
 */
export function holdCard({ fields, schemes, api, session }, tellFields, tellPage) {
  /** @type {Record<string, string>} */
  const values = Object.fromEntries(fields.map((name) => [name, '']))
  let current = session
  let isSending = false
  let isTyping = false
  let told = ''

  const scheme = () => schemeOf(digitsOf(values['number'] ?? ''), schemes)

  /** @type {Record<string, () => boolean>} */
  const isValid = {
    number: () => passesLuhn(digitsOf(values['number'] ?? '')),
    expiry: () => typeof readExpiry(values['expiry'] ?? '', new Date()) === 'object',
    code: () => isCode(values['code'] ?? '', scheme()?.codeSize ?? null),
    postalCode: () => (values['postalCode'] ?? '').trim() !== '',
  }

  function describe() {
    const number = digitsOf(values['number'] ?? '')
    const states = Object.fromEntries(
      fields.map((name) => [name, { empty: values[name] === '', valid: isValid[name]?.() ?? false }]),
    )
    return {
      complete: fields.every((name) => states[name]?.valid),
      brand: scheme()?.brand ?? null,
      // while it is typed, the first 16 digits of a longer number may pass the check, too
      last4: passesLuhn(number) && !isTyping ? number.slice(-4) : null,
      fields: states,
    }
  }

  function tellState() {
    const state = describe()
    const text = JSON.stringify(state)
    if (text === told) return
    told = text
    tellPage({ kind: 'change', ...state })
  }

  function tellScheme() {
    const found = scheme()
    tellFields({
      kind: 'scheme',
      codeSize: found?.codeSize ?? null,
      name: found?.name ?? '',
      gaps: found?.gaps ?? [4, 8, 12, 16],
    })
  }

  /**
   * Puts the card into the session, if it is complete.
   * @returns {Promise<string | undefined>} The code of an error.
   */
  async function store() {
    if (isSending) return 'busy'
    if (!describe().complete) {
      tellFields({ kind: 'check' })
      return 'incomplete'
    }
    isSending = true
    const code = await send()
    isSending = false
    // a security code may be used for one attempt
    if (!code) tellFields({ kind: 'clear', field: 'code' })
    return code
  }

  /** @param {unknown} id */
  async function submit(id) {
    const { brand } = describe()
    const last4 = digitsOf(values['number'] ?? '').slice(-4)
    const code = await store()
    tellPage(code ? { kind: 'failed', id, code } : { kind: 'submitted', id, brand, last4 })
  }

  /** Answers the code of an error, or nothing. */
  function send() {
    const expiry = readExpiry(values['expiry'] ?? '', new Date())
    const payment_method = {
      method: 'card',
      number: digitsOf(values['number'] ?? ''),
      expiration_date: typeof expiry === 'object' ? expiry.date : '',
      security_code: values['code'],
    }
    const postal_code = values['postalCode']?.trim()
    return putFields(api, current, { payment_method, ...(postal_code && { postal_code }) })
  }

  return {
    /** @param {unknown} field Of the number: whether the buyer is in it. @param {unknown} isFocused */
    focus(field, isFocused) {
      if (field !== 'number') return
      isTyping = isFocused === true
      tellState()
    },
    /** @param {unknown} field @param {unknown} text */
    set(field, text) {
      const name = fields.find((each) => each === field)
      const value = shortText(text, 100)
      if (!name || value === null) return
      values[name] = value
      if (name === 'number') tellScheme()
      tellState()
    },
    /** @param {Record<string, unknown>} message */
    hearPage(message) {
      if (message['kind'] === 'submit') void submit(message['id'])
      else if (message['kind'] === 'clear') tellFields({ kind: 'clear', field: null })
      else if (message['kind'] === 'session' && isSessionId(message['session'])) current = message['session']
    },
    tellScheme,
    store,
    isComplete: () => describe().complete,
    session: () => current,
  }
}
