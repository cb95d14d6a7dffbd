import type { Json } from '../json.ts'

export interface CheckoutSessionTable {
  merchant_account_id: string
  id: string
  details: Json<Record<string, unknown>>
  payment_method: Json<Record<string, unknown>> | null
  postal_code: string | null
  three_ds_method: Json<{ id: string; url: string; completed: boolean }> | null
  key_id: string | null
  data_key: Buffer | null
  sealed: Buffer | null
  expires_at: string
  created_at: string
  updated_at: string
}

export interface DelegatedPaymentTable {
  merchant_account_id: string
  id: string
  checkout_session_id: string
  currency: string
  max_amount: number
  expires_at: string
  risk_signals: Json<RiskSignalRow[]>
  metadata: Json<Record<string, string>>
  transaction_id: string | null
  reserved_amount: number | null
  used_at: string | null
  key_id: string | null
  data_key: Buffer | null
  sealed: Buffer | null
  created_at: string
  updated_at: string
}

export interface AgenticSellerTable {
  merchant_account_id: string
  id: string
  pricing_url: string
  intent: 'authorize' | 'capture'
  secrets: Buffer
  created_at: string
  updated_at: string
}

export interface AgenticCheckoutTable {
  merchant_account_id: string
  id: string
  platform_id: string
  status: 'open' | 'completing' | 'completed' | 'canceled'
  revision: number
  request: Json<object>
  price: Json<object>
  amount: number
  currency: string
  ready: boolean
  order: Json<object> | null
  transaction_id: string | null
  error_code: string | null
  expires_at: string
  created_at: string
  updated_at: string
}

interface RiskSignalRow {
  type: string
  score: number
  action: string
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

export interface ElementsConfigurationTable {
  merchant_account_id: string
  allowed_origins: Json<string[]>
  created_at: string
  updated_at: string
}
