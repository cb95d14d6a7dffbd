import type {
  BuyerSnapshot,
  PaymentMethodSnapshot,
  PaymentServiceSnapshot,
} from '../transactions/transaction.row.ts'
import type { PayoutConnectionOptions, PayoutMerchant, PayoutStatus } from './payout.schema.ts'

/**
 * A row of `payouts`. Its amount is in the smallest unit of `currency`; timestamps as the database writes
 * them in JSON.
 */
export interface PayoutRow {
  merchant_account_id: string
  id: string
  status: PayoutStatus
  amount: number
  currency: string
  payment_service_id: string
  /** As it was when the payout was created; so are the payment method and the buyer. */
  payment_service: PaymentServiceSnapshot
  payment_method: PaymentMethodSnapshot
  buyer: BuyerSnapshot | null
  category: 'online_gambling' | null
  merchant: PayoutMerchant | null
  connection_options: PayoutConnectionOptions | null
  external_identifier: string | null
  payment_service_payout_id: string | null
  /** The number of this payout's events. */
  event_count: number
  created_at: string
  updated_at: string
}

/**
 * The rows of an answer. They are stored with the idempotency key, so that a replay gives the same answer
 * (semantics §0.8).
 */
export interface PayoutResult {
  payout: PayoutRow
}
