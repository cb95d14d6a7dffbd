import currencyCodes from 'currency-codes'

/**
 * The digits of a currency's fraction (ISO 4217), of the currencies that do not have two. A browser's own table is
 * that of CLDR, in which forints or rupiahs have none: amounts would be shown a hundredfold.
 */
export const currencyDigits: Readonly<Record<string, number>> = Object.fromEntries(
  currencyCodes.data.flatMap(({ code, digits }) => (digits === 2 ? [] : [[code, digits]])),
)

/** An amount in the smallest unit of its currency as a buyer reads it in this language (`de-DE`: 12,99 €). */
export function formatPrice(amount: number, currency: string, locale: string): string {
  const digits = currencyCodes.code(currency)?.digits ?? 2
  const style = {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const
  return new Intl.NumberFormat(knownLocale(locale), style).format(amount / 10 ** digits)
}

/** An amount in the smallest unit of its currency as a decimal number of the currency: `12.99`. */
export function decimalAmount(amount: number, currency: string): string {
  const digits = currencyCodes.code(currency)?.digits ?? 2
  return (amount / 10 ** digits).toFixed(digits)
}

/** A merchant may send any locale: `de_DE` is taken for `de-DE`, and an unknown one for English. */
function knownLocale(locale: string): string {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale.replaceAll('_', '-'))[0] ?? 'en'
  } catch {
    return 'en'
  }
}

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

/** A country's name by its ISO 3166-1 code; any other text is returned as it is. */
export function countryName(code: string): string {
  try {
    return countries.of(code.toUpperCase()) ?? code
  } catch {
    return code
  }
}
