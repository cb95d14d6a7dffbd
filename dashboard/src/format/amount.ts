/**
 * The currencies that do not have two decimals (ISO 4217). A browser's own table is that of CLDR, in which
 * forints or rupiahs have none: amounts would be read and typed a hundredfold.
 */
const decimals: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries({
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
  }).flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, Number(digits)])),
)

/** How many digits an amount of a currency has behind the point; of an unknown currency two. */
export const fractionDigits = (currency: string): number => decimals[currency] ?? 2

/** An amount in the smallest unit, in the form of its currency: 1299 EUR is €12.99. */
export function formatAmount(amount: number, currency: string): string {
  const digits = fractionDigits(currency)
  try {
    return new Intl.NumberFormat(undefined, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(amount / 10 ** digits)
  } catch {
    return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`
  }
}

/**
 * The amount that a person typed, in the smallest unit; undefined if it is no amount of the currency. A comma or
 * a point may stand before the fraction; nothing groups thousands, as 1.234 would then mean two things.
 */
export function parseAmount(text: string, currency: string): number | undefined {
  const digits = fractionDigits(currency)
  const match = /^(\d{1,12})(?:[.,](\d*))?$/.exec(text.trim())
  if (!match) return undefined
  const [, whole = '', fraction = ''] = match
  if (fraction.length > digits) return undefined
  return Number(`${whole}${fraction.padEnd(digits, '0')}`)
}

/** An amount as a person types it: 1299 EUR is 12.99. */
export function typedAmount(amount: number, currency: string): string {
  const digits = fractionDigits(currency)
  return (amount / 10 ** digits).toFixed(digits)
}
