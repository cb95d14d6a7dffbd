import currencyCodes from 'currency-codes'

/** ISO 4217. */
export const currencies: readonly string[] = currencyCodes.codes()

const known = new Set(currencies)

export const isCurrency = (code: string): boolean => known.has(code)
