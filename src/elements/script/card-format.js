/**
 * A card scheme, from the library with which the vault reads numbers.
 * @typedef {{ brand: string, name: string, patterns: (number | number[])[], gaps: number[], codeSize: number }} Scheme
 */

/** @param {string} text */
export const digitsOf = (text) => text.replace(/\D/g, '')

/**
 * The scheme with the longest prefix that fits; undefined while none fits.
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
export const grouped = (digits, gaps) =>
  [...digits].map((digit, index) => (gaps.includes(index) ? ` ${digit}` : digit)).join('')

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
 * Formats a date while it is typed or pasted: `MM / YY`. A month of one digit gets its zero, and a year of four digits loses its century.
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
 * The date in the API's form, `MM/YY`, or its mistake. A card is valid to the end of its month.
 * @param {string} text
 * @param {Date} now
 * @returns {{ date: string } | 'expiryInvalid' | 'expiryPast'}
 */
export function readExpiry(text, now) {
  const digits = digitsOf(text)
  const [month, year] = [Number(digits.slice(0, 2)), Number(digits.slice(2))]
  if (digits.length !== 4 || month < 1 || month > 12) return 'expiryInvalid'
  if (2000 + year < now.getFullYear() || (2000 + year === now.getFullYear() && month <= now.getMonth()))
    return 'expiryPast'
  return { date: `${digits.slice(0, 2)}/${digits.slice(2)}` }
}
