import type { SchemaValidateFunction } from 'ajv'
import currencyCodes from 'currency-codes'

/**
 * The largest amount of most currencies, in the smallest unit (API §8): 999,999.99 in a currency with two
 * decimals.
 */
const USUAL_CEILING = 99_999_999
/**
 * The largest amount of currencies whose unit is small (semantics §0.21). A sum of ninety thousand of them is
 * still an exact number.
 */
export const HIGHEST_CEILING = 99_999_999_999

/**
 * Currencies with decimals whose main unit is worth less than a US cent: the usual ceiling would be below
 * 10,000 USD, for some below 100 USD. Currencies without decimals have small units, too.
 */
const smallUnits = new Set(
  'AMD AOA ARS BDT CDF COP CRC DZD ETB GYD HTG HUF IDR IQD IRR JMD KES KHR KZT LAK LBP LKR LRD MGA MMK MNT MWK NGN NPR PKR RSD SDG SLL SOS SSP SYP TZS UZS VES YER'.split(
    ' ',
  ),
)

const hasDecimals = (currency: string): boolean => (currencyCodes.code(currency)?.digits ?? 2) > 0

const isSmall = new Map(
  currencyCodes.codes().map((currency) => [currency, smallUnits.has(currency) || !hasDecimals(currency)]),
)

/** The largest amount of a currency, in its smallest unit. */
export const ceilingOf = (currency: string): number =>
  isSmall.get(currency) ? HIGHEST_CEILING : USUAL_CEILING

/**
 * Marks the schema of an amount. Its ceiling is that of the currency beside it, else of the currency of the
 * whole body, else the schema's own `maximum`.
 */
export const AMOUNT_KEYWORD = 'x-amount'

const withinCeiling: SchemaValidateFunction = (_mark, amount: number, _schema, at) => {
  const currency = [at?.parentData, at?.rootData].map(currencyIn).find((code) => code !== undefined)
  const limit = currency === undefined ? HIGHEST_CEILING : ceilingOf(currency)
  // the schema's maximum reports an amount beyond every ceiling
  if (amount <= limit || amount > HIGHEST_CEILING) return true
  withinCeiling.errors = [
    { keyword: 'maximum', message: ceilingMessage(limit, currency), params: { comparison: '<=', limit } },
  ]
  return false
}

function currencyIn(value: unknown): string | undefined {
  const currency: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'currency') : undefined
  return typeof currency === 'string' ? currency : undefined
}

/** The message for an amount beyond its ceiling. */
export const ceilingMessage = (limit: number, currency: string | undefined): string =>
  `must be <= ${limit}${currency ? ` in ${currency}` : ''}`

/** The keyword's definition for a validator. */
export const amountKeyword = {
  keyword: AMOUNT_KEYWORD,
  type: 'number',
  errors: true,
  validate: withinCeiling,
} as const
