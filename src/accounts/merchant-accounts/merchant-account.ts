import type { MerchantAccount, MerchantAccountUpdate } from './merchant-account.schema.ts'

/** What a merchant account is set to, its secrets in the clear. Null: not set. */
export type AccountSettings = Omit<MerchantAccount, 'type' | 'id' | 'created_at' | 'updated_at'>

/** Sealed at rest and never answered. */
export const secretNames = [
  'loon_secret_key',
  'account_updater_request_encryption_key',
  'account_updater_response_decryption_key',
] as const satisfies (keyof AccountSettings)[]

/** Answered in place of a secret that is set; sent back, it leaves the secret as it is. */
export const SECRET_MASK = '********'

const schemes = ['visa', 'amex', 'mastercard', 'discover'] as const

const networkTokenIds = (scheme: (typeof schemes)[number]) =>
  [`${scheme}_network_tokens_requestor_id`, `${scheme}_network_tokens_app_id`] as const satisfies (keyof AccountSettings)[]

/** Where one of a group is set, all of it must be (SEMANTICS §16.1). */
const groups: readonly (readonly (keyof AccountSettings)[])[] = [
  ['loon_client_key', 'loon_secret_key', 'loon_accepted_schemes', 'loon_merchant_account_id'],
  [
    'account_updater_request_encryption_key',
    'account_updater_request_encryption_key_id',
    'account_updater_response_decryption_key',
    'account_updater_response_decryption_key_id',
  ],
  ...schemes.map(networkTokenIds),
]

export const newAccountSettings = {
  display_name: '',
  loon_client_key: null,
  loon_secret_key: null,
  loon_accepted_schemes: null,
  loon_merchant_account_id: null,
  account_updater_request_encryption_key: null,
  account_updater_request_encryption_key_id: null,
  account_updater_response_decryption_key: null,
  account_updater_response_decryption_key_id: null,
  account_updater_enabled: false,
  over_capture_amount: null,
  over_capture_percentage: null,
  visa_network_tokens_requestor_id: null,
  visa_network_tokens_app_id: null,
  amex_network_tokens_requestor_id: null,
  amex_network_tokens_app_id: null,
  mastercard_network_tokens_requestor_id: null,
  mastercard_network_tokens_app_id: null,
  discover_network_tokens_requestor_id: null,
  discover_network_tokens_app_id: null,
  async_network_tokens_enabled: false,
  payment_link_intent: null,
} as const satisfies AccountSettings

/** The settings after a request. An empty identifier is none: two accounts without one must not count as sharing it. */
export function applySettingsUpdate(settings: AccountSettings, { display_name, ...update }: MerchantAccountUpdate): AccountSettings {
  const kept = Object.entries(update).filter(([name, value]) => !(value === SECRET_MASK && isSecret(name)))
  const set = Object.fromEntries(kept.map(([name, value]) => [name, value === '' ? null : value]))
  return { ...settings, ...set, display_name: display_name ?? settings.display_name }
}

const isSecret = (name: string) => secretNames.some((secret) => secret === name)

/** What is wrong with these settings: JSON pointer → message. Empty: nothing. */
export function accountSettingsProblems(settings: AccountSettings): Record<string, string> {
  const incomplete = groups
    .filter((group) => group.some((name) => settings[name] !== null))
    .flatMap((group) => group.filter((name) => settings[name] === null).map((name) => [name, `must be set together with ${others(group, name)}`]))
  const owners = new Map<string, string>()
  const shared = networkTokenIdentifiers(settings).filter(({ scheme, identifier }) => {
    const owner = owners.get(identifier) ?? scheme
    owners.set(identifier, owner)
    return owner !== scheme
  })
  return Object.fromEntries([
    ...incomplete.map(([name, message]) => [`/${name}`, message]),
    ...shared.map(({ name, scheme, identifier }) => [`/${name}`, `is the identifier of ${owners.get(identifier)}, and ${scheme} needs its own`]),
  ])
}

const others = (group: readonly string[], name: string) => group.filter((other) => other !== name).join(', ')

/** The identifiers that no two accounts or schemes may share. A scheme's requestor and app id may be the same. */
export const networkTokenIdentifiers = (settings: AccountSettings) =>
  schemes.flatMap((scheme) =>
    networkTokenIds(scheme).flatMap((name) => {
      const identifier = settings[name]
      return identifier === null ? [] : [{ name, scheme, identifier }]
    }),
  )
