import { countryProblem } from '../../api/values/country.ts'
import type { DigitalWalletProvider, DigitalWalletUpdate } from './digital-wallet.schema.ts'

/** Messages by JSON pointer. */
type Problems = Record<string, string>

/** A host name (RFC 1123 §2.1) and no address, as Apple verifies it and browsers send it as an origin. */
const hostName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Domains are the same in upper and lower case. */
export const normalizeDomain = (name: string): string => name.toLowerCase()

export const isDomain = (name: string): boolean => hostName.test(normalizeDomain(name))

/** What is wrong with the settings of a wallet (semantics §11). Empty: nothing. */
export function digitalWalletProblems(
  provider: DigitalWalletProvider,
  settings: DigitalWalletUpdate,
): Problems {
  const { merchant_url: url, merchant_country_code: country, domain_names: domains } = settings
  const wrongCountry = country && countryProblem(country)
  const needsUrl = provider !== 'google' && !url
  const wrongDomains = (domains ?? []).flatMap((name, index): [string, string][] =>
    isDomain(name) ? [] : [[`/domain_names/${index}`, 'must be a domain name such as shop.example.com']],
  )
  return {
    ...(needsUrl && { '/merchant_url': `is required for ${provider}` }),
    ...(url && !isWebAddress(url) && { '/merchant_url': 'must be an absolute http(s) URL' }),
    ...(wrongCountry && { '/merchant_country_code': wrongCountry }),
    ...Object.fromEntries(wrongDomains),
  }
}

const isWebAddress = (text: string): boolean => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')

/** Each domain once, in the given order. */
export const distinctDomains = (names: readonly string[]): string[] => [
  ...new Set(names.map(normalizeDomain)),
]
