import type { Json } from '../json.ts'

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
  /** When the merchant last changed what `fields` and `secrets` hold; null: never. */
  fields_changed_at: string | null
  deleted_at: string | null
  created_at: string
  updated_at: string
}

/**
 * The circuit breaker of a payment service that was ever found unwell (`payment-services/health/circuit.ts`).
 */
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

export interface GiftCardServiceTable {
  merchant_account_id: string
  id: string
  gift_card_service_definition_id: string
  display_name: string
  active: boolean
  fields: Json<{ key: string; value: string }[]>
  secrets: Buffer | null
  fields_changed_at: string | null
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
  fields_changed_at: string | null
  deleted_at: string | null
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
