import currencyCodes from 'currency-codes'

/** An amount as the provider writes it: a decimal text with exactly the digits of its currency. */
export interface Money {
  currency: string
  value: string
}

const digitsOf = (currency: string): number => currencyCodes.code(currency)?.digits ?? 2

/** `amount` in the smallest unit of `currency`. */
export function toMoney(amount: number, currency: string): Money {
  const digits = digitsOf(currency)
  const units = `${amount}`.padStart(digits + 1, '0')
  return { currency, value: digits === 0 ? units : `${units.slice(0, -digits)}.${units.slice(-digits)}` }
}

/** The decimal text of an amount that may be negative. */
export const signedMoney = (amount: number, currency: string): string =>
  `${amount < 0 ? '-' : ''}${toMoney(Math.abs(amount), currency).value}`

const decimalText = /^(\d+)(?:\.(\d+))?$/

/**
 * The amount in the smallest unit of `currency`; undefined if it has another currency, is negative, or is
 * finer than that unit.
 */
export function fromMoney(money: Money | null | undefined, currency: string): number | undefined {
  const match = money?.currency === currency ? decimalText.exec(money.value) : null
  if (!match) return undefined
  const [, units = '', fraction = ''] = match
  const digits = digitsOf(currency)
  if (/[1-9]/.test(fraction.slice(digits))) return undefined
  const amount = Number(`${units}${fraction.slice(0, digits).padEnd(digits, '0')}`)
  return Number.isSafeInteger(amount) ? amount : undefined
}
