/**
 * What is known of card schemes: from the library that the vault reads numbers with.
 * @typedef {{ name: string, patterns: (number | number[])[], gaps: number[], codeSize: number }} Scheme
 */

/** @param {string} text */
export const digitsOf = (text) => text.replace(/\D/g, '')

/**
 * The scheme whose prefix fits best; undefined while none does.
 * @param {string} digits
 * @param {readonly Scheme[]} schemes
 * @returns {Scheme | undefined}
 */
export function schemeOf(digits, schemes) {
  let best
  let longest = 0
  for (const scheme of schemes) {
    for (const pattern of scheme.patterns) {
      const [from, to] = Array.isArray(pattern) ? pattern : [pattern, pattern]
      const length = String(from).length
      const start = Number(digits.slice(0, length))
      if (digits.length < length || length <= longest || start < Number(from) || start > Number(to)) continue
      best = scheme
      longest = length
    }
  }
  return best
}

/**
 * The number as it is printed on cards: `4111 1111 …`.
 * @param {string} digits
 * @param {readonly number[]} gaps
 */
export const grouped = (digits, gaps) => [...digits].map((digit, index) => (gaps.includes(index) ? ` ${digit}` : digit)).join('')

/**
 * The check digit of ISO/IEC 7812-1, annex B.
 * @param {string} digits
 */
export function passesLuhn(digits) {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return digits.length >= 13 && digits.length <= 19 && sum % 10 === 0
}

/**
 * A date while it is typed or pasted: `MM / YY`. A month that can have one digit only gets its zero; of a year with a century the century goes.
 * @param {string} text
 */
export function expiryTyped(text) {
  const parts = /^\s*(\d)\s*\/(.*)$/.exec(text)
  let digits = digitsOf(parts ? `0${parts[1]}${parts[2]}` : text)
  if (/^[2-9]/.test(digits)) digits = `0${digits}`
  if (/^\d\d20\d\d/.test(digits)) digits = digits.slice(0, 2) + digits.slice(4)
  digits = digits.slice(0, 4)
  return digits.length > 2 ? `${digits.slice(0, 2)} / ${digits.slice(2)}` : digits
}

/**
 * The date as the API takes it, `MM/YY`; or what is wrong with it. A card is good to the end of its month.
 * @param {string} text
 * @param {Date} now
 * @returns {{ date: string } | 'expiryInvalid' | 'expiryPast'}
 */
export function readExpiry(text, now) {
  const digits = digitsOf(text)
  const [month, year] = [Number(digits.slice(0, 2)), Number(digits.slice(2))]
  if (digits.length !== 4 || month < 1 || month > 12) return 'expiryInvalid'
  if (2000 + year < now.getFullYear() || (2000 + year === now.getFullYear() && month <= now.getMonth())) return 'expiryPast'
  return { date: `${digits.slice(0, 2)}/${digits.slice(2)}` }
}
