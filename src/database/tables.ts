import type { ColumnType, Generated } from 'kysely'

/** Rows as PostgreSQL holds them: timestamps as ISO text, amounts as numbers, JSON parsed. Each folder gives its JSON columns their meaning. */

/** A JSON column: read parsed, written as text. */
type Json<T> = ColumnType<T, string, string>

export interface MerchantAccountTable {
  id: string
  display_name: string
  over_capture_amount: number | null
  over_capture_percentage: number | null
  account_updater_enabled: boolean
  async_network_tokens_enabled: boolean
  identifiers: Json<Record<string, unknown>>
  secrets: Buffer | null
  created_at: string
  updated_at: string
}

export interface NetworkTokenIdentifierTable {
  identifier: string
  merchant_account_id: string
}

export interface ApiKeyPairTable {
  id: string
  display_name: string
  algorithm: string
  thumbprint: string
  public_jwk: Json<Record<string, unknown>>
  role_ids: string[]
  merchant_account_ids: string[]
  active: Generated<boolean>
  /** Who made it; null: the command line. */
  creator: Json<{ id: string; name: string; email_address: string | null; thumbprint: string | null }> | null
  deleted_at: string | null
  last_used_at: string | null
  created_at: string
  updated_at: string
}

export interface PaymentServiceTable {
  merchant_account_id: string
  id: string
  payment_service_definition_id: string
  method: string
  display_name: string
  active: boolean
  position: number
  accepted_currencies: string[]
  accepted_countries: string[]
  payment_method_tokenization_enabled: boolean
  network_tokens_enabled: boolean
  open_loop: boolean
  settlement_reporting_enabled: boolean
  three_d_secure_enabled: boolean
  merchant_profile: Json<Record<string, unknown>> | null
  fields: Json<{ key: string; value: string }[]>
  reporting_fields: Json<{ key: string; value: string }[]>
  secrets: Buffer | null
  deleted_at: string | null
  created_at: string
  updated_at: string
}

/** The columns that lists of transactions filter and sort by; the row itself is read as JSON (`transactions/transaction.row.ts`). */
export interface TransactionTable {
  merchant_account_id: string
  id: string
  status: string
  currency: string
  country: string | null
  amount: number
  refunded_amount: number
  method: string | null
  payment_method: Json<Record<string, unknown>> | null
  payment_service_id: string | null
  payment_service_transaction_id: string | null
  buyer: Json<Record<string, unknown>> | null
  external_identifier: string | null
  metadata: Json<Record<string, string>> | null
  error_code: string | null
  three_d_secure: Json<Record<string, unknown>> | null
  payment_source: string
  merchant_initiated: boolean
  is_subsequent_payment: boolean
  ip_address: string | null
  pending_review: boolean
  disputed: boolean
  settled: boolean
  checkout_session_id: string | null
  payment_link_id: string | null
  reauthorized_from_transaction_id: string | null
  created_at: string
  updated_at: string
}

export interface OperationTable {
  merchant_account_id: string
  id: string
  transaction_id: string
  kind: string
  status: string
  amount: number
  check_at: string | null
  created_at: string
}

export interface IdempotencyKeyTable {
  merchant_account_id: string
  scope: string
  key: string
  fingerprint: Buffer
  resource_id: string
  representation: string
  answer: Json<unknown> | null
  created_at: string
}

export interface TransactionEventTable {
  merchant_account_id: string
  transaction_id: string
  id: string
  entries: Json<unknown[]>
}

export interface EventTable {
  merchant_account_id: string
  id: string
  name: string
  target_id: string
  /** Of this resource, from 1. */
  sequence: number
  target: Json<ResourceTarget>
  /** In the log (`event_position`); positions below `event_horizon()` are final. */
  position: Generated<number>
  created_at: string
}

/** A resource in the shape of the API, as events carry it. */
export interface ResourceTarget {
  type: string
  id: string
}

export interface EventSequenceTable {
  merchant_account_id: string
  target_id: string
  last: number
}

export interface AuditEntryTable {
  merchant_account_id: string
  position: Generated<number>
  id: string
  action: string
  resource_type: string
  resource_id: string
  resource_name: string | null
  actor_type: string
  actor_id: string
  actor_name: string
  actor_email_address: string | null
  created_at: string
}

export interface AuditSealTable {
  merchant_account_id: string
  number: number
  position: number
  entries: number
  hash: Buffer
  created_at: string
}

export interface WebhookSubscriptionTable {
  id: string
  /** Null: of the instance. */
  merchant_account_id: string | null
  url: string
  active: boolean
  authentication: Json<Record<string, unknown>> | null
  secrets: Buffer
  rotating_until: string | null
  creator: Json<{ id: string; name: string; email_address: string }> | null
  deleted_at: string | null
  created_at: string
  updated_at: string
}

export interface WebhookQueueTable {
  webhook_subscription_id: string
  position: number
  sequence: number
  event_id: string
  leased_by: string | null
  leased_until: Generated<string>
  resume_at: Generated<string>
  failures: Generated<number>
  failing_since: string | null
}

export interface WebhookDeliveryTable {
  webhook_subscription_id: string
  /** The event's. */
  id: string
  merchant_account_id: string
  position: number
  sequence: number
  target_id: string
  event_name: string
  status: 'waiting' | 'succeeded' | 'failed'
  attempts: number
  /** Since it was first due, or asked for again. */
  tries: number
  history: Json<WebhookAttempt[]>
  /** Null: none is, or an earlier event of its resource is still waiting. */
  due_at: string | null
  give_up_at: string
  created_at: string
  updated_at: string
}

/** One time that an event was sent. */
export interface WebhookAttempt {
  /** ISO 8601. */
  at: string
  /** Milliseconds. */
  latency: number
  /** Null: nobody answered, and `error` says why. */
  status_code: number | null
  error: string | null
  /** How the answer began. */
  response: string | null
}

export interface BuyerTable {
  merchant_account_id: string
  id: string
  display_name: string | null
  external_identifier: string | null
  billing_details: Json<Record<string, unknown>> | null
  account_number: string | null
  created_at: string
  updated_at: string
}

export interface ShippingDetailsTable {
  merchant_account_id: string
  id: string
  buyer_id: string
  first_name: string | null
  last_name: string | null
  email_address: string | null
  phone_number: string | null
  address: Json<Record<string, unknown>> | null
  created_at: string
  updated_at: string
}

export interface PaymentMethodTable {
  merchant_account_id: string
  id: string
  provisional: Generated<boolean>
  status: string
  method: string
  mode: string
  buyer_id: string | null
  external_identifier: string | null
  label: string | null
  scheme: string | null
  additional_schemes: string[] | null
  bin: string | null
  card_type: string | null
  card_issuer_name: string | null
  card_country: string | null
  expiration_date: string | null
  fingerprint: string | null
  country: string | null
  currency: string | null
  approval_url: string | null
  key_id: string | null
  data_key: Buffer | null
  sealed: Buffer | null
  has_replacement: Generated<boolean>
  last_replaced_at: string | null
  usage_count: Generated<number>
  cit_usage_count: Generated<number>
  last_used_at: string | null
  cit_last_used_at: string | null
  scheme_transaction_id: string | null
  scheme_transaction_id_scheme: string | null
  transaction_link_id: string | null
  created_at: string
  updated_at: string
}

export interface GiftCardServiceTable {
  merchant_account_id: string
  id: string
  gift_card_service_definition_id: string
  display_name: string
  active: boolean
  fields: Json<{ key: string; value: string }[]>
  secrets: Buffer | null
  deleted_at: string | null
  created_at: string
  updated_at: string
}

export interface AntiFraudServiceTable {
  merchant_account_id: string
  id: string
  anti_fraud_service_definition_id: string
  display_name: string
  active: boolean
  position: number
  fields: Json<{ key: string; value: string }[]>
  secrets: Buffer | null
  deleted_at: string | null
  created_at: string
  updated_at: string
}

export interface GiftCardTable {
  merchant_account_id: string
  id: string
  gift_card_service_id: string
  buyer_id: string | null
  bin: string
  sub_bin: string
  last4: string
  fingerprint: string
  key_id: string
  data_key: Buffer
  sealed: Buffer
  expiration_date: string | null
  archived_at: string | null
  usage_count: Generated<number>
  cit_usage_count: Generated<number>
  last_used_at: string | null
  cit_last_used_at: string | null
  created_at: string
  updated_at: string
}

export interface GiftCardIssuanceTable {
  merchant_account_id: string
  id: string
  gift_card_service_id: string
  gift_card_service_payment_issuance_id: string
  url: string
  theme: string
  amount: number
  currency: string
  external_identifier: string | null
  created_at: string
  updated_at: string
}

/** Of the whole instance: what the first digits of a card number say belongs to no merchant. */
export interface BinTable {
  prefix: string
  scheme: string
  additional_schemes: string[]
  card_type: string | null
  issuer: string | null
  country: string | null
}

export interface CheckoutSessionTable {
  merchant_account_id: string
  id: string
  details: Json<Record<string, unknown>>
  payment_method: Json<Record<string, unknown>> | null
  postal_code: string | null
  key_id: string | null
  data_key: Buffer | null
  sealed: Buffer | null
  expires_at: string
  created_at: string
  updated_at: string
}

export interface SecurityCodeTable {
  merchant_account_id: string
  id: string
  key_id: string
  data_key: Buffer
  sealed: Buffer
  expires_at: string
}

/** What pays, sealed, while the cardholder is with the card's issuer; `id` is the transaction's. */
export interface HeldInstrumentTable {
  merchant_account_id: string
  id: string
  key_id: string
  data_key: Buffer
  sealed: Buffer
  expires_at: string
}

/** The circuit breaker of a payment service that was ever found unwell (`payment-services/circuit.ts`). */
export interface PaymentServiceCircuitTable {
  merchant_account_id: string
  payment_service_id: string
  state: 'closed' | 'open' | 'half_open'
  since: string
  next_probe_at: string | null
  openings: number
  good_probes: number
  version: number
}

export interface DigitalWalletTable {
  merchant_account_id: string
  id: string
  provider: 'apple' | 'google' | 'click-to-pay'
  merchant_name: string
  merchant_display_name: string | null
  merchant_url: string | null
  merchant_country_code: string | null
  merchant_category_code: string | null
  address: Json<Record<string, unknown>> | null
  extra_configuration: Json<Record<string, unknown>> | null
  domain_names: string[]
  created_at: string
  updated_at: string
}

export interface ApplePayCertificateTable {
  merchant_account_id: string
  id: string
  digital_wallet_id: string
  purpose: 'payment-processing' | 'merchant-identity'
  certificate_signing_request: string
  certificate: string | null
  expires_at: string | null
  key_id: string
  data_key: Buffer
  sealed: Buffer
  created_at: string
  updated_at: string
}

export interface UsedWalletTokenTable {
  merchant_account_id: string
  source: string
  token: Buffer
  usable_until: string
}

/** A number or token at rest: an envelope of the vault, null where there is none yet, or no more. */
interface Sealed {
  key_id: string | null
  data_key: Buffer | null
  sealed: Buffer | null
}

/** Work that nobody waits for: when it is taken up next (null: none is open), and how often it was. */
interface Awaited {
  check_at: string | null
  checks: Generated<number>
}

export interface NetworkTokenTable extends Sealed, Awaited {
  merchant_account_id: string
  id: string
  payment_method_id: string
  status: 'requested' | 'active' | 'inactive' | 'suspended'
  scheme: string
  expiration_date: string | null
  created_at: string
  updated_at: string
}

export interface PaymentServiceTokenTable extends Sealed, Awaited {
  merchant_account_id: string
  id: string
  payment_method_id: string
  payment_service_id: string
  status: 'processing' | 'succeeded' | 'failed'
  fingerprint: string | null
  created_at: string
  updated_at: string
}

export interface CardReplacementTable {
  merchant_account_id: string
  id: string
  expiration_date: string
  key_id: string
  data_key: Buffer
  sealed: Buffer
  created_at: string
}

export interface AccountUpdaterInquiryTable extends Awaited {
  merchant_account_id: string
  id: string
  job_id: string
  payment_method_id: string
  result: 'updated' | 'unchanged' | 'closed' | 'failed' | null
  created_at: string
  updated_at: string
}

export interface ThreeDSecureConfigurationTable {
  merchant_account_id: string
  id: string
  scheme: string
  currency: string | null
  metadata: Json<Record<string, string>>
  metadata_digest: Buffer
  merchant_acquirer_bin: string
  merchant_acquirer_id: string
  merchant_name: string
  merchant_country_code: string
  merchant_category_code: string
  merchant_url: string
  created_at: string
  updated_at: string
}

export interface ThreeDSecureScenarioTable {
  merchant_account_id: string
  id: string
  conditions: Json<Record<string, unknown>>
  card_fingerprint: string | null
  outcome: Json<Record<string, unknown>>
  created_at: string
  updated_at: string
}

/** One row: the MAC by which a wrong root secret is noticed. */
export interface EncryptionCheckTable {
  mac: Buffer
}

/** One row: the root secret, wrapped under the master key `key_id`. */
export interface RootSecretTable {
  key_id: string
  wrapped: Buffer
}

export interface FlowRulesetTable {
  merchant_account_id: string
  flow: 'checkout' | 'card-transaction' | 'non-card-transaction' | 'redirect-transaction'
  version: number
  state: 'draft' | 'live' | 'retired'
  rules: Json<
    {
      id: string
      display_name: string
      action: 'select-payment-options' | 'route-transaction' | 'decline-early' | 'skip-3ds'
      active: boolean
      condition: Record<string, unknown>
      outcome: Record<string, unknown>
    }[]
  >
  created_at: string
  updated_at: string
  published_at: string | null
}

export interface Tables {
  encryption_check: EncryptionCheckTable
  root_secret: RootSecretTable
  merchant_accounts: MerchantAccountTable
  network_token_identifiers: NetworkTokenIdentifierTable
  api_key_pairs: ApiKeyPairTable
  payment_services: PaymentServiceTable
  transactions: TransactionTable
  operations: OperationTable
  idempotency_keys: IdempotencyKeyTable
  transaction_events: TransactionEventTable
  events: EventTable
  event_sequences: EventSequenceTable
  audit_entries: AuditEntryTable
  audit_seals: AuditSealTable
  webhook_subscriptions: WebhookSubscriptionTable
  webhook_queues: WebhookQueueTable
  webhook_deliveries: WebhookDeliveryTable
  buyers: BuyerTable
  shipping_details: ShippingDetailsTable
  payment_methods: PaymentMethodTable
  network_tokens: NetworkTokenTable
  payment_service_tokens: PaymentServiceTokenTable
  card_replacements: CardReplacementTable
  account_updater_inquiries: AccountUpdaterInquiryTable
  payment_service_circuits: PaymentServiceCircuitTable
  digital_wallets: DigitalWalletTable
  apple_pay_certificates: ApplePayCertificateTable
  used_wallet_tokens: UsedWalletTokenTable
  gift_card_services: GiftCardServiceTable
  anti_fraud_services: AntiFraudServiceTable
  gift_cards: GiftCardTable
  gift_card_issuances: GiftCardIssuanceTable
  bins: BinTable
  checkout_sessions: CheckoutSessionTable
  security_codes: SecurityCodeTable
  held_instruments: HeldInstrumentTable
  three_d_secure_configurations: ThreeDSecureConfigurationTable
  three_d_secure_scenarios: ThreeDSecureScenarioTable
  flow_rulesets: FlowRulesetTable
}
