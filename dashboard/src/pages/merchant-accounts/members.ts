import type { MerchantAccount } from '@railyard/client'

type Member = Exclude<keyof MerchantAccount, 'type' | 'id' | 'created_at' | 'updated_at'>

/** How a setting is entered. `secret`: answered as a mask, which leaves it as it is when it is sent back. */
export type Kind = 'text' | 'secret' | 'number' | 'switch' | 'intent' | 'words'

/** The settings of a merchant account, in the order in which they are shown. */
const memberGroups = {
  general: {
    payment_link_intent: 'intent',
    over_capture_amount: 'number',
    over_capture_percentage: 'number',
  },
  networkTokens: {
    async_network_tokens_enabled: 'switch',
    visa_network_tokens_requestor_id: 'text',
    visa_network_tokens_app_id: 'text',
    mastercard_network_tokens_requestor_id: 'text',
    mastercard_network_tokens_app_id: 'text',
    amex_network_tokens_requestor_id: 'text',
    amex_network_tokens_app_id: 'text',
    discover_network_tokens_requestor_id: 'text',
    discover_network_tokens_app_id: 'text',
  },
  updater: {
    account_updater_enabled: 'switch',
    account_updater_request_encryption_key: 'secret',
    account_updater_request_encryption_key_id: 'text',
    account_updater_response_decryption_key: 'secret',
    account_updater_response_decryption_key_id: 'text',
    loon_client_key: 'text',
    loon_secret_key: 'secret',
    loon_merchant_account_id: 'text',
    loon_accepted_schemes: 'words',
  },
} as const satisfies Record<string, Partial<Record<Member, Kind>>>

export type Group = keyof typeof memberGroups
export type SettingName = Exclude<Member, 'display_name'>

/** The settings of a group with how each is entered. */
export const membersOf = (group: Group): [SettingName, Kind][] =>
  Object.entries(memberGroups[group]) as [SettingName, Kind][]

/** A setting as a person types it. */
export const typed = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** A setting as the API takes it; null removes it. */
export function parsed(text: string, kind: Kind): unknown {
  const value = text.trim()
  switch (kind) {
    case 'switch':
      return value === 'true'
    case 'number':
      // what is no number is refused by the API, which says so at the field
      return value === '' ? null : Number.isNaN(Number(value)) ? value : Number(value)
    case 'words':
      return value === '' ? null : value.split(/[\s,]+/)
    case 'text':
    case 'secret':
    case 'intent':
      return value === '' ? null : value
  }
}
