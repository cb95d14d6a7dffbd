const english = (type: 'currency' | 'region') => {
  const names = new Intl.DisplayNames('en', { type, fallback: 'none' })
  return (code: string): string | undefined => {
    try {
      return names.of(code)
    } catch {
      return undefined
    }
  }
}
const currencies = english('currency')
const regions = english('region')

const withName = (code: string, name: string | undefined) =>
  name && name !== code ? `${code} ${name}` : code

/** A currency as people know it: EUR Euro. */
export const nameCurrency = (code: string): string => withName(code, currencies(code))
/** A country as people know it: DE Germany. */
export const nameCountry = (code: string): string => withName(code, regions(code))

/** A card as people name it, by its scheme and last digits: visa ·· 1111. */
export const nameCard = (name: string, label: string | null | undefined): string =>
  label ? `${name} ·· ${label}` : name

/** A word of the API as people read it: `not_found` is not found. */
export const readable = (word: string): string => word.replaceAll(/[_-]/g, ' ')

interface Answer {
  raw_response_code: string | null
  raw_response_description: string | null
}
/** What a payment service answered, in its own words: code and text, once if they are the same. */
export const nameAnswer = ({ raw_response_code, raw_response_description }: Answer): string =>
  [...new Set([raw_response_code, raw_response_description])].filter(Boolean).join(' ')

/** Whether a region of CLDR is a country today: no former one, no group of countries. */
const isCountry = (code: string): boolean =>
  regions(code) !== undefined &&
  !/^(EU|EZ|UN|QO|ZZ|X[A-JL-Z]|AC|CP|CQ|DG|EA|IC|TA)$/.test(code) &&
  new Intl.Locale(`und-${code}`).region === code

let countries: readonly string[] | undefined
/** The codes of all countries, as the browser knows them. */
export function countryCodes(): readonly string[] {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  countries ??= letters.flatMap((one) => letters.map((other) => one + other)).filter(isCountry)
  return countries
}

/** The codes of all currencies, as the browser knows them. */
export const currencyCodes = (): readonly string[] => Intl.supportedValuesOf('currency')
