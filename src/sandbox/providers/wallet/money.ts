import currencyCodes from 'currency-codes'

/** An amount in the form of the wallet's API. */
export interface Money {
  currency_code: string
  value: string
}

const digitsOf = (currency: string): number => currencyCodes.code(currency)?.digits ?? 2

/** Currencies that the wallet accepts in whole units only. */
const wholeUnits = new Set(['HUF', 'JPY', 'TWD'])

const shape = /^\d+(\.\d+)?$/

/** The issue with which the wallet refuses this amount; null: it accepts it. */
export function moneyIssue({ currency_code: currency, value }: Money): string | null {
  if (!currencyCodes.code(currency)) return 'INVALID_CURRENCY_CODE'
  if (!shape.test(value) || Number(value) === 0) return 'CANNOT_BE_ZERO_OR_NEGATIVE'
  const digits = wholeUnits.has(currency) ? 0 : digitsOf(currency)
  return (value.split('.')[1] ?? '').length > digits ? 'DECIMAL_PRECISION' : null
}

/** The amount in the smallest unit of its currency. */
export const minorUnits = ({ currency_code: currency, value }: Money): number =>
  Math.round(Number(value) * 10 ** digitsOf(currency))

export const moneyOf = (amount: number, currency: string): Money => ({
  currency_code: currency,
  value: (amount / 10 ** digitsOf(currency)).toFixed(wholeUnits.has(currency) ? 0 : digitsOf(currency)),
})
