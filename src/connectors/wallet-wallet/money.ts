import currencyCodes from 'currency-codes'

/** An amount as the provider writes it: a decimal string. */
export interface Money {
  currency_code: string
  value: string
}

/** The currencies that the provider accepts in whole units only, whatever ISO 4217 says. */
const wholeUnitsOnly = new Set(['HUF', 'JPY', 'TWD'])

const isoDigits = (currency: string): number => currencyCodes.code(currency)?.digits ?? 2

const decimals = (currency: string): number => (wholeUnitsOnly.has(currency) ? 0 : isoDigits(currency))

/** Whether the provider can express an amount, given in the smallest unit of its currency. */
export const isExpressible = (amount: number, currency: string): boolean =>
  amount % 10 ** (isoDigits(currency) - decimals(currency)) === 0

/** `amount` in the smallest unit of `currency`. */
export function toMoney(amount: number, currency: string): Money {
  const digits = decimals(currency)
  const units = `${amount / 10 ** (isoDigits(currency) - digits)}`.padStart(digits + 1, '0')
  return {
    currency_code: currency,
    value: digits === 0 ? units : `${units.slice(0, -digits)}.${units.slice(-digits)}`,
  }
}

const decimalString = /^(\d*)(?:\.(\d+))?$/

/**
 * The amount in the smallest unit of `currency`; undefined if it has another currency, is negative, or is
 * finer than that unit.
 */
export function fromMoney(money: Money | undefined, currency: string): number | undefined {
  const match = money?.currency_code === currency ? decimalString.exec(money.value) : null
  if (!money || !match || money.value === '') return undefined
  const [, units = '', fraction = ''] = match
  const digits = isoDigits(currency)
  if (/[1-9]/.test(fraction.slice(digits))) return undefined
  const amount = Number(`${units}${fraction.slice(0, digits).padEnd(digits, '0')}`)
  return Number.isSafeInteger(amount) ? amount : undefined
}
