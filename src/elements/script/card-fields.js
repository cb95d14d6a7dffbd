import { digitsOf, expiryTyped, grouped, passesLuhn, readExpiry } from './card-format.js'

/**
 * What the holder of a card tells its fields.
 * @typedef {{ kind: 'scheme', codeSize: number | null, name: string, gaps: readonly number[] }
 *   | { kind: 'check' } | { kind: 'clear', field: import('./frame.js').FieldName | null }} ToFields
 */

const usualGaps = [4, 8, 12, 16]

/**
 * Prepares the inputs of this frame: formats what is typed, shows mistakes, and tells the holder each value.
 * @param {import('./frame.js').FrameConfig} config
 * @param {(field: import('./frame.js').FieldName, text: string) => void} tellHolder
 * @param {(message: object) => void} tellPage
 */
export function prepareFields({ fields, mistakes, hints }, tellHolder, tellPage) {
  /** @type {Extract<ToFields, { kind: 'scheme' }>} */
  let scheme = { kind: 'scheme', codeSize: null, name: '', gaps: usualGaps }

  /** @param {import('./frame.js').FieldName} name @returns {HTMLInputElement | null} */
  const input = (name) => document.querySelector(`input#${name}`)
  const typed = (/** @type {import('./frame.js').FieldName} */ name) => input(name)?.value ?? ''

  /** How a field is formatted while it is typed. @type {Record<string, (text: string) => string>} */
  const formats = {
    number: (text) => grouped(digitsOf(text).slice(0, 19), scheme.gaps),
    expiry: expiryTyped,
    code: (text) => digitsOf(text).slice(0, 4),
  }

  /** The mistake in a field; null: none. @type {Record<string, () => string | null | undefined>} */
  const checks = {
    number: () => {
      const digits = digitsOf(typed('number'))
      if (digits === '') return mistakes['numberMissing']
      return passesLuhn(digits) ? null : mistakes['numberInvalid']
    },
    expiry: () => {
      const read = readExpiry(typed('expiry'), new Date())
      return typeof read === 'string' ? mistakes[read] : null
    },
    code: () => (isCode(typed('code'), scheme.codeSize) ? null : mistakes['codeInvalid']),
    postalCode: () => (typed('postalCode').trim() === '' ? mistakes['postalCodeMissing'] : null),
  }

  for (const name of fields) {
    const field = input(name)
    if (!field) continue
    field.addEventListener('input', (event) => {
      const format = formats[name]
      // a deletion in the date is not formatted: that would bring the deleted sign back
      const isDeletion = event instanceof InputEvent && event.inputType.startsWith('delete')
      if (format && !(name === 'expiry' && isDeletion)) rewrite(field, format)
      tellHolder(name, field.value)
      // a mistake that is shown disappears as soon as it is corrected
      if (field.getAttribute('aria-invalid') && !checks[name]?.()) mark(name, null)
    })
    field.addEventListener('focus', () => tellPage({ kind: 'focus', field: name }))
    field.addEventListener('blur', () => {
      if (field.value !== '') mark(name, checks[name]?.())
      tellPage({ kind: 'blur', field: name })
    })
  }
  document.querySelector('form')?.addEventListener('submit', (event) => {
    event.preventDefault()
    tellPage({ kind: 'enter' })
  })

  /** @param {import('./frame.js').FieldName} name @param {string | null | undefined} mistake */
  function mark(name, mistake) {
    const field = input(name)
    const line = document.querySelector(`#${name}-mistake`)
    if (!field || !(line instanceof HTMLElement)) return
    line.textContent = mistake ?? ''
    line.hidden = !mistake
    if (mistake) field.setAttribute('aria-invalid', 'true')
    else field.removeAttribute('aria-invalid')
  }

  return {
    /** @param {ToFields} message */
    hear(message) {
      if (message.kind === 'scheme') {
        scheme = message
        const number = input('number')
        if (number) rewrite(number, formats['number'] ?? String)
        setText('#scheme', scheme.name)
        setText('#code-hint', scheme.codeSize === 4 ? hints.codeHintAmex : hints.codeHint)
      } else if (message.kind === 'check') {
        const wrong = fields.filter((name) => {
          const mistake = checks[name]?.()
          mark(name, mistake)
          return Boolean(mistake)
        })
        if (wrong[0]) input(wrong[0])?.focus()
      } else {
        for (const name of fields) {
          const field = input(name)
          if (!field || (message.field !== null && message.field !== name)) continue
          field.value = ''
          mark(name, null)
          tellHolder(name, '')
        }
      }
    },
    /** @param {string | null} name */
    focus(name) {
      const wanted = fields.find((field) => field === name) ?? fields[0]
      if (wanted) input(wanted)?.focus()
    },
  }
}

/** @param {string} text @param {number | null} size */
export const isCode = (text, size) =>
  /^\d+$/.test(text) && (size === null ? text.length === 3 || text.length === 4 : text.length === size)

/** @param {string} selector @param {string} text */
function setText(selector, text) {
  const element = document.querySelector(selector)
  if (element) element.textContent = text
}

/** Reformats a field and keeps the cursor at the same digit. @param {HTMLInputElement} input @param {(text: string) => string} change */
function rewrite(input, change) {
  const changed = change(input.value)
  if (changed === input.value) return
  const atEnd = input.selectionStart === input.value.length
  const before = digitsOf(input.value.slice(0, input.selectionStart ?? 0)).length
  input.value = changed
  if (atEnd || document.activeElement !== input) return
  let cursor = 0
  for (let digits = 0; digits < before && cursor < changed.length; cursor++)
    if (/\d/.test(changed[cursor] ?? '')) digits++
  input.setSelectionRange(cursor, cursor)
}
