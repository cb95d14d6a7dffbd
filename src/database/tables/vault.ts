import type { Generated } from 'kysely'
import type { Json } from '../json.ts'

/** One row: the MAC that reveals a wrong root secret. */
export interface EncryptionCheckTable {
  mac: Buffer
}

/** One row: the environment of the database's first start. */
export interface InstanceEnvironmentTable {
  single: Generated<boolean>
  environment: 'sandbox' | 'production'
}

/** One row: the root secret, wrapped under the master key `key_id`. */
export interface RootSecretTable {
  generation: Generated<number>
  key_id: string
  wrapped: Buffer
  used_at: Generated<string | null>
  retired_at: Generated<string | null>
}

/** A serving process, as of its last report. */
export interface ServiceProcessTable {
  id: string
  host: string
  pid: number
  encryption_keys: string[]
  root_secret_known: Generated<number>
  root_secret_used: Generated<number>
  reads_packed_json: Generated<boolean>
  reads_packed_timeline: Generated<boolean>
  seen_at: string
}

/** A value under each encryption key in use. */
export interface EncryptionKeyTable {
  key_id: string
  wrapped: Buffer
}

/** The progress of background work through a table. */
export interface VaultPassTable {
  name: string
  table_name: string
  merchant_account_id: string | null
  id: string | null
  finished: boolean
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

/** A stored number or token: an envelope of the vault; null before there is one, and after it was deleted. */
interface Sealed {
  key_id: string | null
  data_key: Buffer | null
  sealed: Buffer | null
}

/**
 * Background work on a row: when it is due next (null: there is none), and how many tries have ended without an
 * answer.
 */
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

/** Rows of the whole instance: the meaning of a card number's first digits belongs to no merchant. */
export interface BinTable {
  prefix: string
  scheme: string
  additional_schemes: string[]
  card_type: string | null
  issuer: string | null
  country: string | null
}
