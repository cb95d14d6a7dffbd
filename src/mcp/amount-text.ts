import currencyCodes from 'currency-codes'

/** An amount as people write it: `12.99 EUR`. */
export function amountText(amount: number, currency: string): string {
  const digits = currencyCodes.code(currency)?.digits ?? 0
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`
}
