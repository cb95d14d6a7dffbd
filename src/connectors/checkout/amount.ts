import currencyCodes from 'currency-codes'

/** The currencies without a smaller unit at Checkout.com. */
const withoutMinorUnit = new Set([
  ...[
    'BIF',
    'DJF',
    'GNF',
    'ISK',
    'JPY',
    'KMF',
    'KRW',
    'PYG',
    'RWF',
    'UGX',
    'VND',
    'VUV',
    'XAF',
    'XOF',
    'XPF',
  ],
])

/** The currencies with three decimals; Checkout.com takes no amount whose last digit is not 0. */
const withThreeDecimals = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'])

function checkoutDigits(currency: string): number {
  if (withoutMinorUnit.has(currency)) return 0
  return withThreeDecimals.has(currency) ? 3 : 2
}

/** How many digits more Checkout.com counts than ISO 4217 does. */
const surplus = (currency: string): number =>
  checkoutDigits(currency) - (currencyCodes.code(currency)?.digits ?? 2)

const MOST = 999_999_999

/**
 * An amount as Checkout.com counts it. `amount` is in the smallest unit of ISO 4217. Undefined: Checkout.com
 * does not take it.
 */
export function toCheckoutAmount(amount: number, currency: string): number | undefined {
  const value = amount * 10 ** surplus(currency)
  const isTaken = Number.isInteger(value) && value <= MOST
  return isTaken && !(withThreeDecimals.has(currency) && value % 10 !== 0) ? value : undefined
}

/** An amount in the smallest unit of ISO 4217; undefined: it is negative, or finer than that unit. */
export function fromCheckoutAmount(value: number, currency: string): number | undefined {
  const amount = value / 10 ** surplus(currency)
  return amount >= 0 && Number.isSafeInteger(amount) ? amount : undefined
}
