import { countryProblem } from '../../api/values/country.ts'
import type { DigitalWalletProvider, DigitalWalletUpdate } from './digital-wallet.schema.ts'

/** What is wrong, by JSON pointer. */
type Problems = Record<string, string>

/** A host name (RFC 1123 §2.1) that is no address: what Apple verifies and browsers report as an origin. */
const hostName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Domains are compared without regard to case. */
export const normalizeDomain = (name: string): string => name.toLowerCase()

export const isDomain = (name: string): boolean => hostName.test(normalizeDomain(name))

/** What the settings of a wallet do wrong (SEMANTICS §11). Empty: nothing. */
export function digitalWalletProblems(provider: DigitalWalletProvider, settings: DigitalWalletUpdate): Problems {
  const { merchant_url: url, merchant_country_code: country, domain_names: domains } = settings
  const elsewhere = country && countryProblem(country)
  const needsUrl = provider !== 'google' && !url
  const wrongDomains = (domains ?? []).flatMap((name, index): [string, string][] =>
    isDomain(name) ? [] : [[`/domain_names/${index}`, 'must be a domain name such as shop.example.com']],
  )
  return {
    ...(needsUrl && { '/merchant_url': `is required for ${provider}` }),
    ...(url && !isWebAddress(url) && { '/merchant_url': 'must be an absolute http(s) URL' }),
    ...(elsewhere && { '/merchant_country_code': elsewhere }),
    ...Object.fromEntries(wrongDomains),
  }
}

const isWebAddress = (text: string): boolean => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')

/** Each once, in the order in which they were given. */
export const distinctDomains = (names: readonly string[]): string[] => [...new Set(names.map(normalizeDomain))]
