import type { SchemaValidateFunction } from 'ajv'
import currencyCodes from 'currency-codes'

/** The largest amount of most currencies, in the smallest unit (SPEC §8): 999,999.99 where the unit has two decimals. */
const USUAL_CEILING = 99_999_999
/** The largest amount there is: of currencies whose unit is small (SEMANTICS §0.21). Sums of ninety thousand of them are still exact. */
export const HIGHEST_CEILING = 99_999_999_999

/** Currencies with decimals whose main unit is worth less than a US cent: the usual ceiling is below 10,000 USD, and of some below 100. Currencies without decimals have small units, too. */
const smallUnits = new Set(
  'AMD AOA ARS BDT CDF COP CRC DZD ETB GYD HTG HUF IDR IQD IRR JMD KES KHR KZT LAK LBP LKR LRD MGA MMK MNT MWK NGN NPR PKR RSD SDG SLL SOS SSP SYP TZS UZS VES YER'.split(
    ' ',
  ),
)

const hasDecimals = (currency: string): boolean => (currencyCodes.code(currency)?.digits ?? 2) > 0

const isSmall = new Map(currencyCodes.codes().map((currency) => [currency, smallUnits.has(currency) || !hasDecimals(currency)]))

/** The largest amount of a currency, in its smallest unit. */
export const ceilingOf = (currency: string): number => (isSmall.get(currency) ? HIGHEST_CEILING : USUAL_CEILING)

/** Marks a schema of an amount: its ceiling is that of the currency beside it, else of the currency of the whole body. Where neither is known, the schema's own `maximum` holds. */
export const AMOUNT_KEYWORD = 'x-amount'

const withinCeiling: SchemaValidateFunction = (_mark, amount: number, _schema, at) => {
  const currency = [at?.parentData, at?.rootData].map(currencyIn).find((code) => code !== undefined)
  const limit = currency === undefined ? HIGHEST_CEILING : ceilingOf(currency)
  // what is beyond every ceiling is beyond the schema's maximum
  if (amount <= limit || amount > HIGHEST_CEILING) return true
  withinCeiling.errors = [{ keyword: 'maximum', message: ceilingMessage(limit, currency), params: { comparison: '<=', limit } }]
  return false
}

function currencyIn(value: unknown): string | undefined {
  const currency: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'currency') : undefined
  return typeof currency === 'string' ? currency : undefined
}

/** What is wrong with an amount beyond its ceiling. */
export const ceilingMessage = (limit: number, currency: string | undefined): string => `must be <= ${limit}${currency ? ` in ${currency}` : ''}`

/** For a validator. */
export const amountKeyword = { keyword: AMOUNT_KEYWORD, type: 'number', errors: true, validate: withinCeiling } as const
