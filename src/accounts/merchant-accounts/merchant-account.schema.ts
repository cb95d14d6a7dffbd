import { type Static, Type } from 'typebox'
import { Amount, Closed, Described, Nullable, Page, Text, Timestamp, Words } from '../../api/schema.ts'
import { CardScheme } from '../../connectors/contract/method.schema.ts'

/** An addition to the contract: without it, a payment link without an intent authorizes (semantics §14). */
const LinkIntent = Described(
  Words('authorize', 'capture'),
  'The intent of payment links that have none; null: authorize',
)

export const MerchantAccount = Closed('MerchantAccount', {
  type: Type.Literal('merchant-account'),
  id: Text(1, 50),
  display_name: Text(1, 255),
  loon_client_key: Nullable(Type.String()),
  loon_secret_key: Nullable(Type.String()),
  loon_accepted_schemes: Nullable(Type.Array(CardScheme)),
  loon_merchant_account_id: Nullable(Type.String()),
  account_updater_request_encryption_key: Nullable(Type.String()),
  account_updater_request_encryption_key_id: Nullable(Type.String()),
  account_updater_response_decryption_key: Nullable(Type.String()),
  account_updater_response_decryption_key_id: Nullable(Type.String()),
  account_updater_enabled: Type.Boolean(),
  over_capture_amount: Nullable(Type.Integer()),
  over_capture_percentage: Nullable(Type.Integer()),
  visa_network_tokens_requestor_id: Nullable(Type.String()),
  visa_network_tokens_app_id: Nullable(Type.String()),
  amex_network_tokens_requestor_id: Nullable(Type.String()),
  amex_network_tokens_app_id: Nullable(Type.String()),
  mastercard_network_tokens_requestor_id: Nullable(Type.String()),
  mastercard_network_tokens_app_id: Nullable(Type.String()),
  discover_network_tokens_requestor_id: Nullable(Type.String()),
  discover_network_tokens_app_id: Nullable(Type.String()),
  async_network_tokens_enabled: Type.Boolean(),
  payment_link_intent: Nullable(LinkIntent),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type MerchantAccount = Static<typeof MerchantAccount>

export const MerchantAccounts = Page('MerchantAccounts', MerchantAccount)
export type MerchantAccounts = Static<typeof MerchantAccounts>

const identifier = Type.Optional(Nullable(Type.String()))
const networkTokenId = Type.Optional(Nullable(Text(0, 300)))

/** The settings of a merchant account, beside its id and name. */
const options = {
  account_updater_enabled: Type.Optional(Type.Boolean()),
  account_updater_request_encryption_key: identifier,
  account_updater_request_encryption_key_id: identifier,
  account_updater_response_decryption_key: identifier,
  account_updater_response_decryption_key_id: identifier,
  over_capture_amount: Type.Optional(Nullable(Amount)),
  over_capture_percentage: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 99_999_999 }))),
  loon_client_key: identifier,
  loon_secret_key: identifier,
  loon_accepted_schemes: Type.Optional(Nullable(Type.Array(CardScheme))),
  loon_merchant_account_id: identifier,
  visa_network_tokens_requestor_id: networkTokenId,
  visa_network_tokens_app_id: networkTokenId,
  amex_network_tokens_requestor_id: networkTokenId,
  amex_network_tokens_app_id: networkTokenId,
  mastercard_network_tokens_requestor_id: networkTokenId,
  mastercard_network_tokens_app_id: networkTokenId,
  discover_network_tokens_requestor_id: networkTokenId,
  discover_network_tokens_app_id: networkTokenId,
  async_network_tokens_enabled: Type.Optional(Type.Boolean()),
  payment_link_intent: Type.Optional(Nullable(LinkIntent)),
}

export const MerchantAccountCreate = Closed('MerchantAccountCreate', {
  ...options,
  id: Type.String({ pattern: '^[a-zA-Z0-9-]+$', minLength: 1, maxLength: 50 }),
  display_name: Text(1, 255),
})
export type MerchantAccountCreate = Static<typeof MerchantAccountCreate>

/**
 * Omitted members stay as they are, null clears (semantics §1.7). The name cannot be cleared: null leaves it
 * as it is.
 */
export const MerchantAccountUpdate = Closed('MerchantAccountUpdate', {
  ...options,
  display_name: Type.Optional(Nullable(Text(1, 255))),
})
export type MerchantAccountUpdate = Static<typeof MerchantAccountUpdate>

/** A merchant account within another resource. */
export const MerchantAccountSummary = Closed('MerchantAccountSummary', {
  type: Type.Literal('merchant-account'),
  id: Type.String(),
  display_name: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  over_capture_amount: Nullable(Type.Integer()),
  over_capture_percentage: Nullable(Type.Integer()),
})
export type MerchantAccountSummary = Static<typeof MerchantAccountSummary>
