import { Type } from 'typebox'
import { Check } from 'typebox/value'
import type { AcquirerProfile } from '../connectors/contract/three-d-secure-server.ts'
import type { World } from '../world.ts'
import { profileMembers, type ThreeDSConfiguration } from './configuration.schema.ts'
import { threeDSConfigurations } from './configuration.store.ts'
import { numericCountry } from './country-code.ts'

/** The data of a transaction that decide under which acquirer profile it is authenticated. */
export interface PaymentForProfile {
  /** Null: not known; no profile fits. */
  scheme: string | null
  /** Null: not known; only a configuration for any currency fits. */
  currency: string | null
  /** ISO 3166-1 alpha-2. */
  country: string | null
  metadata: Readonly<Record<string, string>> | null
}

/**
 * The acquirer profile for the card's scheme (semantics §7.1): the payment service's own profile for the
 * scheme, else the account's configuration that fits best. Undefined: there is neither, so that 3-D Secure
 * cannot run. `serviceProfiles` is the payment service's `merchant_profile`.
 */
export async function acquirerProfileFor(
  world: World,
  account: string,
  payment: PaymentForProfile,
  serviceProfiles: Readonly<Record<string, unknown>> | null,
): Promise<AcquirerProfile | undefined> {
  const { scheme } = payment
  if (scheme === null) return undefined
  const own = serviceProfiles && Object.hasOwn(serviceProfiles, scheme) ? serviceProfiles[scheme] : null
  if (Check(Profile, own)) return toProfile(own)
  const configuration = bestConfiguration(await threeDSConfigurations(world, account), payment)
  return configuration && toProfile(configuration)
}

const Profile = Type.Object(profileMembers)

/**
 * Of the configurations that fit, one for the currency goes before one for any; then one whose merchant is in
 * the transaction's country; then the one with more metadata; then the first, which is the newest. Undefined:
 * none fits.
 */
export function bestConfiguration(
  newestFirst: readonly ThreeDSConfiguration[],
  payment: PaymentForProfile,
): ThreeDSConfiguration | undefined {
  const home = payment.country === null ? undefined : numericCountry(payment.country)
  const rank = (configuration: ThreeDSConfiguration) => ({
    exact: Number(configuration.currency !== null),
    atHome: Number(configuration.merchant_country_code === home),
    pairs: Object.keys(configuration.metadata).length,
  })
  const ranked = newestFirst
    .filter((configuration) => isMatching(configuration, payment))
    .map((configuration) => ({ configuration, ...rank(configuration) }))
  return ranked.sort((a, b) => b.exact - a.exact || b.atHome - a.atHome || b.pairs - a.pairs)[0]
    ?.configuration
}

const isMatching = (
  { scheme, currency, metadata }: ThreeDSConfiguration,
  payment: PaymentForProfile,
): boolean =>
  scheme === payment.scheme &&
  (currency === null || currency === payment.currency) &&
  Object.entries(metadata).every(
    ([key, value]) =>
      payment.metadata && Object.hasOwn(payment.metadata, key) && payment.metadata[key] === value,
  )

const toProfile = (source: AcquirerProfile): AcquirerProfile => ({
  merchant_acquirer_bin: source.merchant_acquirer_bin,
  merchant_acquirer_id: source.merchant_acquirer_id,
  merchant_name: source.merchant_name,
  merchant_country_code: source.merchant_country_code,
  merchant_category_code: source.merchant_category_code,
  merchant_url: source.merchant_url,
})
