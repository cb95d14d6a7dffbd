import currencyCodes from 'currency-codes'

/** Stripe counts these in whole units, whatever ISO 4217 says. */
const wholeUnits = new Set([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'JPY', 'KMF', 'KRW', 'MGA'],
  ...['PYG', 'RWF', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'],
])
/** Stripe takes three decimals, and the last one must be 0. */
const thousandths = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

const stripeDigits = (currency: string): number => {
  if (wholeUnits.has(currency)) return 0
  return thousandths.has(currency) ? 3 : 2
}

const isoDigits = (currency: string): number => currencyCodes.code(currency)?.digits ?? 2

/**
 * `amount`, in the smallest unit of `currency`, as Stripe counts it; undefined: Stripe cannot express it.
 */
export function toStripeAmount(amount: number, currency: string): number | undefined {
  const digits = stripeDigits(currency)
  const units = amount * 10 ** (digits - isoDigits(currency))
  if (!Number.isSafeInteger(units)) return undefined
  return digits === 3 && units % 10 !== 0 ? undefined : units
}

/** The amount in the smallest unit of `currency`; undefined: it is negative, or finer than that unit. */
export function fromStripeAmount(units: number, currency: string): number | undefined {
  const amount = units * 10 ** (isoDigits(currency) - stripeDigits(currency))
  return Number.isSafeInteger(amount) && amount >= 0 ? amount : undefined
}
