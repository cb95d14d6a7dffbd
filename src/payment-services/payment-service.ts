import { Check } from 'typebox/value'
import { countryProblem } from '../api/values/country.ts'
import { escapePointerStep } from '../api/values/json-pointer.ts'
import type { ServiceSettings } from '../configured-services/fields.ts'
import { fieldProblems, withFields } from '../configured-services/fields.ts'
import type { Definition } from '../connectors/contract/connector.ts'
import { CardScheme } from '../connectors/contract/method.schema.ts'
import { profileProblems } from '../three-d-secure/configuration.ts'
import { isCurrency, supportedCountries, supportedCurrencies } from './definitions/definition.ts'
import type { MerchantProfileSchemeSummary, PaymentServiceUpdate } from './payment-service.schema.ts'

export interface PaymentServiceSettings extends ServiceSettings {
  /** Null: after the account's last service. */
  position: number | null
  accepted_currencies: string[]
  accepted_countries: string[]
  three_d_secure_enabled: boolean
  payment_method_tokenization_enabled: boolean
  network_tokens_enabled: boolean
  open_loop: boolean
  settlement_reporting_enabled: boolean
  merchant_profile: Record<string, MerchantProfileSchemeSummary | null> | null
}

export const newServiceSettings = ({ features }: Definition): PaymentServiceSettings => ({
  display_name: '',
  active: true,
  position: null,
  accepted_currencies: [],
  accepted_countries: [],
  three_d_secure_enabled: false,
  payment_method_tokenization_enabled: false,
  network_tokens_enabled: features.network_tokens_default ?? false,
  open_loop: features.open_loop ?? false,
  settlement_reporting_enabled: false,
  merchant_profile: null,
  values: {},
})

/** The settings after a request. Null leaves a member as it is, but clears the merchant profile. */
export function applyUpdate(
  settings: PaymentServiceSettings,
  update: PaymentServiceUpdate,
  now: string,
): PaymentServiceSettings {
  const { fields, reporting_fields: _, merchant_profile, ...members } = update
  const changed = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))
  return {
    ...settings,
    ...changed,
    merchant_profile:
      merchant_profile === undefined
        ? settings.merchant_profile
        : withProfileDates(merchant_profile, settings.merchant_profile, now),
    values: withFields(settings.values, fields ?? []),
  }
}

/** A scheme that had a profile keeps the time at which it got its first one. */
function withProfileDates(
  profiles: PaymentServiceUpdate['merchant_profile'],
  before: PaymentServiceSettings['merchant_profile'],
  now: string,
) {
  if (!profiles) return null
  return Object.fromEntries(
    Object.entries(profiles).map(([scheme, profile]) => [
      scheme,
      profile && { ...profile, created_at: before?.[scheme]?.created_at ?? now },
    ]),
  )
}

/** Messages by JSON pointer. */
type Problems = Record<string, string>

/**
 * What is wrong with these settings and with the request that led to them (semantics §12.2). Empty: nothing.
 */
export const settingsProblems = (
  definition: Definition,
  update: PaymentServiceUpdate,
  settings: PaymentServiceSettings,
): Problems => ({
  ...fieldProblems('/fields', definition.fields, update.fields ?? [], settings.values),
  // no payment service has reporting fields
  ...fieldProblems('/reporting_fields', [], update.reporting_fields ?? [], {}),
  ...codeProblems(
    '/accepted_currencies',
    settings.accepted_currencies,
    (code) => (isCurrency(code) ? null : 'does not exist'),
    supportedCurrencies(definition),
  ),
  ...codeProblems(
    '/accepted_countries',
    settings.accepted_countries,
    countryProblem,
    supportedCountries(definition),
  ),
  ...featureProblems(definition, settings),
  ...schemeProblems(settings),
  ...(Math.abs(settings.position ?? 0) > MAX_POSITION && {
    '/position': `must lie between -${MAX_POSITION} and ${MAX_POSITION}`,
  }),
})

/** Leaves room in a 32-bit column for services that are added after the last one. */
const MAX_POSITION = 1_000_000_000

function codeProblems(
  pointer: string,
  codes: readonly string[],
  problemOf: (code: string) => string | null,
  supported: readonly string[],
): Problems {
  const message = (code: string) => {
    const problem = problemOf(code)
    if (problem) return `${code} ${problem}`
    return supported.includes(code) ? undefined : `${code} is not supported by this payment service`
  }
  return Object.fromEntries(
    codes.flatMap((code, index) => {
      const problem = message(code)
      return problem ? [[`${pointer}/${index}`, problem]] : []
    }),
  )
}

/** The feature that a payment service needs before a setting can be switched on. */
const neededFeatures = {
  three_d_secure_enabled: 'three_d_secure_hosted',
  payment_method_tokenization_enabled: 'payment_method_tokenization',
  network_tokens_enabled: 'network_tokens',
  settlement_reporting_enabled: 'settlement_reporting',
} as const satisfies Partial<Record<keyof PaymentServiceSettings, string>>

function featureProblems(definition: Definition, settings: PaymentServiceSettings): Problems {
  const { open_loop, network_tokens_enabled, payment_method_tokenization_enabled } = settings
  const switches = Object.keys(neededFeatures) as (keyof typeof neededFeatures)[]
  const lacking = switches.filter((name) => settings[name] && !definition.features[neededFeatures[name]])
  return {
    ...(open_loop &&
      payment_method_tokenization_enabled && {
        '/payment_method_tokenization_enabled': 'needs open_loop to be false',
      }),
    ...(!open_loop && network_tokens_enabled && { '/network_tokens_enabled': 'needs open_loop to be true' }),
    ...Object.fromEntries(
      lacking.map((name) => [
        `/${name}`,
        `needs the feature ${neededFeatures[name]}, which this payment service lacks`,
      ]),
    ),
  }
}

const schemeProblems = ({ merchant_profile }: PaymentServiceSettings): Problems =>
  Object.assign(
    {},
    ...Object.entries(merchant_profile ?? {}).map(([scheme, profile]) => {
      const pointer = `/merchant_profile/${escapePointerStep(scheme)}`
      if (!Check(CardScheme, scheme)) return { [pointer]: `${scheme} is not a card scheme` }
      return profile ? profileProblems(profile, pointer) : {}
    }),
  )
