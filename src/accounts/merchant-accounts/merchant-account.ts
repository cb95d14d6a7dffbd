import { SECRET_MASK } from '../../api/values/secret-mask.ts'
import type { MerchantAccount, MerchantAccountUpdate } from './merchant-account.schema.ts'

/** The settings of a merchant account, with its secrets in the clear. Null: not set. */
export type AccountSettings = Omit<MerchantAccount, 'type' | 'id' | 'created_at' | 'updated_at'>

/** The settings that are sealed at rest and never answered. */
export const secretNames = [
  'loon_secret_key',
  'account_updater_request_encryption_key',
  'account_updater_response_decryption_key',
] as const satisfies (keyof AccountSettings)[]

const schemes = ['visa', 'amex', 'mastercard', 'discover'] as const

const networkTokenIds = (scheme: (typeof schemes)[number]) =>
  [
    `${scheme}_network_tokens_requestor_id`,
    `${scheme}_network_tokens_app_id`,
  ] as const satisfies (keyof AccountSettings)[]

/** If one setting of a group is set, all of the group must be (semantics §16.1). */
const settingGroups: readonly (readonly (keyof AccountSettings)[])[] = [
  ['loon_client_key', 'loon_secret_key', 'loon_accepted_schemes', 'loon_merchant_account_id'],
  [
    'account_updater_request_encryption_key',
    'account_updater_request_encryption_key_id',
    'account_updater_response_decryption_key',
    'account_updater_response_decryption_key_id',
  ],
  ...schemes.map(networkTokenIds),
]

/** The settings of a new merchant account. */
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

/**
 * The settings after a request. An empty identifier counts as not set, so that two accounts without one do
 * not count as sharing it.
 */
export function applySettingsUpdate(
  settings: AccountSettings,
  { display_name, ...update }: MerchantAccountUpdate,
): AccountSettings {
  const changed = Object.entries(update).filter(([name, value]) => !(value === SECRET_MASK && isSecret(name)))
  const changes = Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : value]))
  return { ...settings, ...changes, display_name: display_name ?? settings.display_name }
}

const isSecret = (name: string) => secretNames.some((secret) => secret === name)

/** What is wrong with these settings: JSON pointer → message. Empty: nothing. */
export function accountSettingsProblems(settings: AccountSettings): Record<string, string> {
  const incomplete = settingGroups
    .filter((group) => group.some((name) => settings[name] !== null))
    .flatMap((group) =>
      group
        .filter((name) => settings[name] === null)
        .map((name) => [name, `must be set together with ${otherNames(group, name)}`]),
    )
  const owners = new Map<string, string>()
  const shared = networkTokenIdentifiers(settings).filter(({ scheme, identifier }) => {
    const owner = owners.get(identifier) ?? scheme
    owners.set(identifier, owner)
    return owner !== scheme
  })
  return Object.fromEntries([
    ...incomplete.map(([name, message]) => [`/${name}`, message]),
    ...shared.map(({ name, scheme, identifier }) => [
      `/${name}`,
      `is the identifier of ${owners.get(identifier)}, and ${scheme} needs its own`,
    ]),
  ])
}

const otherNames = (group: readonly string[], name: string) =>
  group.filter((other) => other !== name).join(', ')

/**
 * The identifiers that two accounts or two schemes may not share. A scheme's requestor id and app id may be
 * the same.
 */
export const networkTokenIdentifiers = (settings: AccountSettings) =>
  schemes.flatMap((scheme) =>
    networkTokenIds(scheme).flatMap((name) => {
      const identifier = settings[name]
      return identifier === null ? [] : [{ name, scheme, identifier }]
    }),
  )
