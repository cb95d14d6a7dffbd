import type { Generated } from 'kysely'
import type { Json } from '../json.ts'

export interface PaymentLinkTable {
  merchant_account_id: string
  id: string
  token_hash: Buffer
  secrets: Buffer
  status: string
  transaction_id: string | null
  declines: Generated<number>
  expires_at: string
  amount: number
  country: string
  currency: string
  intent: string
  payment_source: string
  store: boolean
  buyer_id: string | null
  buyer: Json<Record<string, unknown>> | null
  external_identifier: string | null
  metadata: Json<Record<string, string>> | null
  details: Json<Record<string, unknown>>
  created_at: string
  updated_at: string
}
