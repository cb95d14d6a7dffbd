import { createHash } from 'node:crypto'
import { isCurrency } from '../api/values/currency.ts'
import { isMetadataTooLarge } from '../api/values/metadata.ts'
import type { AcquirerProfile } from '../connectors/contract/three-d-secure-server.ts'
import type { ThreeDSConfiguration, ThreeDSConfigurationUpdate } from './configuration.schema.ts'
import { isNumericCountry } from './country-code.ts'

/** The settings that a merchant chooses. */
export type ConfigurationSettings = AcquirerProfile &
  Pick<ThreeDSConfiguration, 'scheme' | 'currency' | 'metadata'>

/** The settings after a request. Null leaves a member as it is, but makes the currency any. */
export function applyUpdate(
  settings: ConfigurationSettings,
  { currency, ...update }: ThreeDSConfigurationUpdate,
): ConfigurationSettings {
  const changed = Object.fromEntries(Object.entries(update).filter(([, value]) => value !== null))
  return { ...settings, ...changed, currency: currency === undefined ? settings.currency : currency }
}

/** The longest URL that a 3DS server takes (EMV 3DS 2.x, `merchantURL`). */
const MAX_URL_LENGTH = 2048

const isWebAddress = (text: string) =>
  text.length <= MAX_URL_LENGTH && URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

/** What is wrong with a profile, by JSON pointer (semantics §7.3). Empty: nothing. */
export const profileProblems = (profile: AcquirerProfile, pointer = ''): Record<string, string> => ({
  ...(!/^\d{1,11}$/.test(profile.merchant_acquirer_bin) && {
    [`${pointer}/merchant_acquirer_bin`]: 'must be digits',
  }),
  ...(!isNumericCountry(profile.merchant_country_code) && {
    [`${pointer}/merchant_country_code`]: 'is not an ISO 3166-1 numeric code, e.g. 840',
  }),
  ...(!/^\d{4}$/.test(profile.merchant_category_code) && {
    [`${pointer}/merchant_category_code`]: 'must be four digits',
  }),
  ...(!isWebAddress(profile.merchant_url) && {
    [`${pointer}/merchant_url`]: `must be an absolute http or https URL of at most ${MAX_URL_LENGTH} characters`,
  }),
})

/** What is wrong with these settings, by JSON pointer. Empty: nothing. */
export const configurationProblems = (settings: ConfigurationSettings): Record<string, string> => ({
  ...profileProblems(settings),
  ...(settings.currency !== null &&
    !isCurrency(settings.currency) && { '/currency': 'is not an ISO 4217 code' }),
  ...(isMetadataTooLarge(settings.metadata) && {
    '/metadata': 'may have at most 50 keys of at most 100 characters, and values of at most 500',
  }),
})

/** The same for the same pairs in any order. */
export const metadataDigest = (metadata: Readonly<Record<string, string>>): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest()
