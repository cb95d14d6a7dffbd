import { isCode } from './card-fields.js'
import { digitsOf, passesLuhn, readExpiry, schemeOf } from './card-format.js'
import { shortText } from './frame.js'

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
      last4: passesLuhn(number) ? number.slice(-4) : null,
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
    const { brand, last4 } = describe()
    const code = await store()
    tellPage(code ? { kind: 'failed', id, code } : { kind: 'submitted', id, brand, last4 })
  }

  /** Puts the card into the session. Answers the code of an error, or nothing. */
  async function send() {
    const expiry = readExpiry(values['expiry'] ?? '', new Date())
    const payment_method = {
      method: 'card',
      number: digitsOf(values['number'] ?? ''),
      expiration_date: typeof expiry === 'object' ? expiry.date : '',
      security_code: values['code'],
    }
    const postal_code = values['postalCode']?.trim()
    const answer = await fetch(`${api}/checkout/sessions/${current}/fields`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payment_method, ...(postal_code && { postal_code }) }),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    }).catch(() => undefined)
    if (!answer) return 'offline'
    if (answer.ok) return undefined
    if (answer.status === 404) return 'session_expired'
    if (answer.status === 429) return 'too_many_requests'
    return answer.status < 500 ? 'refused' : 'failed'
  }

  return {
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

/** @param {unknown} value @returns {value is string} */
const isSessionId = (value) =>
  typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
