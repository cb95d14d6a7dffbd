import type { Generated } from 'kysely'
import type { Json } from '../json.ts'

/**
 * The columns that lists of transactions filter and sort by; the row itself is read as JSON
 * (`transactions/transaction.row.ts`).
 */
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
  erased_at: string | null
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
  canonical_fingerprint: Buffer | null
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
  packed: Generated<Buffer | null>
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
