import type { Json } from '../json.ts'

/** The payments that were created within an hour, in packed columns (`insights/columns/packed-hour.ts`). */
export interface InsightHourTable {
  merchant_account_id: string
  hour: string
  id: Buffer
  created: Buffer
  amount: Buffer
  counted: Buffer
  authentication_outcome: Buffer
  authorized: Buffer
  country: Buffer
  currency: Buffer
  error_code: Buffer
  instrument_type: Buffer
  is_subsequent_payment: Buffer
  liability_shifted: Buffer
  merchant_initiated: Buffer
  metadata: Buffer
  method: Buffer
  payment_method_bin: Buffer
  payment_method_card_issuer_name: Buffer
  payment_method_card_type: Buffer
  payment_method_country: Buffer
  payment_method_scheme: Buffer
  payment_service_id: Buffer
  payment_source: Buffer
  raw_response_code: Buffer
  rule_id_route_transaction: Buffer
  rule_id_skip_3ds: Buffer
  rule_variant_id: Buffer
  three_d_secure_auth_resp: Buffer
  three_d_secure_eci: Buffer
  three_d_secure_method: Buffer
}

export interface InsightProgressTable {
  merchant_account_id: string
  /** The position in the event log up to which the columns are complete. */
  position: number
  sequence: number
  event_id: string
}

export interface InsightPresetTable {
  merchant_account_id: string
  id: string
  source: 'authentication' | 'authorization' | 'monitoring'
  display_name: string
  metric: 'volume' | 'transactions' | 'auth_rate'
  filters: Json<Record<string, string | string[]>>
  created_at: string
  updated_at: string
}
