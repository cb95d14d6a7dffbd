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

  /** @param {unknown} id */
  async function submit(id) {
    const state = describe()
    /** @param {string} code */
    const fail = (code) => tellPage({ kind: 'failed', id, code })
    if (isSending) return fail('busy')
    if (!state.complete) {
      tellFields({ kind: 'check' })
      return fail('incomplete')
    }
    isSending = true
    const code = await send()
    isSending = false
    if (code) return fail(code)
    // a security code may be used for one attempt
    tellFields({ kind: 'clear', field: 'code' })
    tellPage({ kind: 'submitted', id, brand: state.brand, last4: state.last4 })
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
  }
}
