import currencyCodes from 'currency-codes'

/** An amount as the provider writes it: whole numbers of its own smallest unit. */
export interface Money {
  value: number
  currency: string
}

/** The currencies whose smallest unit at the provider is not that of ISO 4217. */
const ownDigits: Readonly<Record<string, number>> = { CLP: 2, CVE: 0, IDR: 0, ISK: 2 }

const isoDigits = (currency: string): number => currencyCodes.code(currency)?.digits ?? 2

/** How many more digits ISO 4217 counts than the provider does. */
const surplus = (currency: string): number =>
  isoDigits(currency) - (ownDigits[currency] ?? isoDigits(currency))

/** Undefined: the amount is finer than the provider's smallest unit. `amount` is in that of ISO 4217. */
export function toMoney(amount: number, currency: string): Money | undefined {
  const digits = surplus(currency)
  const value = digits < 0 ? amount * 10 ** -digits : amount / 10 ** digits
  return Number.isSafeInteger(value) ? { value, currency } : undefined
}

/**
 * The amount in the smallest unit of ISO 4217; undefined if it has another currency, is negative, or is finer
 * than that unit.
 */
export function fromMoney(money: Money | undefined, currency: string): number | undefined {
  if (money?.currency !== currency || money.value < 0) return undefined
  const digits = surplus(currency)
  const amount = digits < 0 ? money.value / 10 ** -digits : money.value * 10 ** digits
  return Number.isSafeInteger(amount) ? amount : undefined
}
