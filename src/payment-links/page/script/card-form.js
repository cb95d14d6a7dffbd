import {
  digitsOf,
  expiryTyped,
  grouped,
  passesLuhn,
  readExpiry,
  schemeOf,
} from '../../../elements/script/card-format.js'
import { ask, pathname, send, Trouble, words } from './payment.js'

/** @type {readonly import('../../../elements/script/card-format.js').Scheme[]} */
const schemes = JSON.parse(document.body.dataset['schemes'] ?? '[]')
const usualGaps = [4, 8, 12, 16]

/** @param {string} id @returns {HTMLInputElement | null} */
const field = (id) => document.querySelector(`input#${id}`)
const typed = (/** @type {string} */ id) => field(id)?.value ?? ''
const schemeTyped = () => schemeOf(digitsOf(typed('number')), schemes)

export function prepareCard() {
  field('number')?.addEventListener('input', () => {
    const scheme = schemeTyped()
    rewrite('number', (text) => grouped(digitsOf(text).slice(0, 19), scheme?.gaps ?? usualGaps))
    showScheme(scheme)
  })
  field('expiry')?.addEventListener('input', (event) => {
    // a deletion is not formatted: that would bring the deleted sign back
    if (event instanceof InputEvent && event.inputType.startsWith('delete')) return
    rewrite('expiry', expiryTyped)
  })
  field('code')?.addEventListener('input', () => rewrite('code', (text) => digitsOf(text).slice(0, 4)))
  for (const [id, check] of Object.entries(checks)) {
    // a mistake that is shown disappears as soon as it is corrected
    field(id)?.addEventListener(
      'input',
      () => field(id)?.getAttribute('aria-invalid') && check() === null && mark(id, null),
    )
    field(id)?.addEventListener('blur', () => typed(id) !== '' && mark(id, check()))
  }
  showScheme(schemeTyped())
}

/** Reformats a field and keeps the cursor at the same digit. @param {string} id @param {(text: string) => string} change */
function rewrite(id, change) {
  const input = field(id)
  if (!input) return
  const changed = change(input.value)
  if (changed === input.value) return
  const atEnd = input.selectionStart === input.value.length
  const before = digitsOf(input.value.slice(0, input.selectionStart ?? 0)).length
  input.value = changed
  if (atEnd) return
  let cursor = 0
  for (let digits = 0; digits < before && cursor < changed.length; cursor++)
    if (/\d/.test(changed[cursor] ?? '')) digits++
  input.setSelectionRange(cursor, cursor)
}

/** @param {import('../../../elements/script/card-format.js').Scheme | undefined} scheme */
function showScheme(scheme) {
  const [name, hint] = [document.querySelector('#scheme'), document.querySelector('#code-hint')]
  if (name) name.textContent = scheme?.name ?? ''
  if (hint) hint.textContent = scheme?.codeSize === 4 ? words.codeHintAmex : words.codeHint
}

/** The mistake in a field, as the page words it; null: there is none. @type {Record<string, () => string | null>} */
const checks = {
  number: () => {
    const digits = digitsOf(typed('number'))
    if (digits === '') return words.mistakes.numberMissing
    return passesLuhn(digits) ? null : words.mistakes.numberInvalid
  },
  expiry: () => {
    const read = readExpiry(typed('expiry'), new Date())
    return typeof read === 'string' ? words.mistakes[read] : null
  },
  code: () => {
    const { length } = typed('code')
    const size = schemeTyped()?.codeSize
    return size
      ? length === size
        ? null
        : words.mistakes.codeInvalid
      : length === 3 || length === 4
        ? null
        : words.mistakes.codeInvalid
  },
  name: () => (field('name') && typed('name').trim() === '' ? words.mistakes.nameMissing : null),
}

/** Shows the mistake next to each field and moves the focus to the first. True: there is at least one. */
export function showMistakes() {
  const wrong = Object.entries(checks).filter(([id, check]) => mark(id, check()))
  if (wrong[0]) field(wrong[0][0])?.focus()
  return wrong.length > 0
}

/** @param {string} id @param {string | null} mistake */
function mark(id, mistake) {
  const input = field(id)
  const line = document.querySelector(`#${id}-mistake`)
  if (!input || !(line instanceof HTMLElement)) return false
  line.textContent = mistake ?? ''
  line.hidden = mistake === null
  if (mistake === null) input.removeAttribute('aria-invalid')
  else input.setAttribute('aria-invalid', 'true')
  return mistake !== null
}

/** Puts the card into a checkout session of this link, and answers that session: the payment request does not contain the card. */
export async function enterCard() {
  const session = await ask('/sessions', { ...(field('name') && { name: typed('name').trim() }) })
  const expiry = readExpiry(typed('expiry'), new Date())
  const card = {
    method: 'card',
    number: digitsOf(typed('number')),
    expiration_date: typeof expiry === 'object' ? expiry.date : '',
    security_code: typed('code'),
  }
  const answer = await send(
    `${pathname.replace(/\/pay\/[^/]+$/, '')}/checkout/sessions/${session.id}/fields`,
    'PUT',
    { payment_method: card },
  )
  if (!answer) throw new Trouble('offline')
  if (answer.status === 429) throw new Trouble('tooMany')
  if (!answer.ok) throw new Trouble(answer.status < 500 ? 'details' : 'failed')
  const code = field('code')
  // a security code may be used for one attempt
  if (code) code.value = ''
  return { checkout_session_id: session.id, proof: session.proof }
}
