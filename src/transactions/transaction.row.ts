import type { Screening } from '../anti-fraud/screening.schema.ts'
import type { GuestBuyer, ShippingDetailsCreate } from '../buyers/buyer.schema.ts'
import type { TransactionIntent, TransactionPaymentSource } from '../checkout/payment-terms.schema.ts'
import type { Facts } from '../connectors/connector.ts'
import type { InstrumentType, IntegrationClient, Method, Mode } from '../connectors/method.schema.ts'
import type { GiftCardTender } from '../gift-cards/redemptions/redemption.ts'
import type { OperationCode, OperationRow } from '../operations/operation.ts'
import type { TransactionAction } from '../routing/action.schema.ts'
import type { FlowCode } from '../routing/rules/outcome.schema.ts'
import type { TransactionThreeDSecureSummary } from '../three-d-secure/three-d-secure.schema.ts'
import type { TransactionCreate, TransactionIntentOutcome, TransactionStatus } from './transaction.schema.ts'

/** What a transaction shows of the card that paid; taken when it was created. What is not known is absent or null. */
export interface PaymentMethodSnapshot {
  method: Method
  /** Of the stored payment method; absent where none is stored. */
  id?: string
  /** It is stored with this payment, which has not succeeded yet. */
  provisional?: true
  mode?: Mode
  label?: string | null
  scheme?: string | null
  expiration_date?: string | null
  fingerprint?: string | null
  bin?: string | null
  card_type?: string | null
  card_issuer_name?: string | null
  /** ISO 3166-1 alpha-2. */
  issuer_country?: string | null
  country?: string | null
  currency?: string | null
  external_identifier?: string | null
}

/** How the buyer of this payment comes to approve it (SPEC §4.11). */
export interface BuyerApproval {
  /** Present where not the payment service is asked but the card's issuer (3-D Secure, SEMANTICS §7). */
  asks?: 'issuer'
  integration_client: IntegrationClient
  /** The merchant's page that the buyer returns to; null: they approve in it, and never leave it. */
  redirect_url: string | null
  /** Where the buyer approves; null in client integrations, and until the payment service has answered. */
  url: string | null
  /** What a session exchange answers, or what our page takes to the issuer's; null where neither is. */
  session_data: Record<string, unknown> | null
  /** The credential of a session exchange; null in a redirect flow. */
  session_token: string | null
}

export interface PaymentServiceSnapshot {
  payment_service_definition_id: string
  method: Method
  display_name: string
}

export type BuyerSnapshot = Omit<GuestBuyer, 'shipping_details'> & { id?: string | null }

/** Where it goes; the ids are there where it was chosen among a buyer's stored shipping details. */
export type ShippingSnapshot = ShippingDetailsCreate & { id?: string; buyer_id?: string }

/** Inputs that are kept and shown, and that nobody searches. `payment_service_id` is the one that the request named: nobody routed it. */
export type Details = Pick<
  TransactionCreate,
  | 'payment_service_id'
  | 'airline'
  | 'cart_items'
  | 'statement_descriptor'
  | 'recipient'
  | 'installment_count'
  | 'account_funding_transaction'
  | 'allow_partial_authorization'
  | 'async_capture'
  | 'description'
  | 'browser_info'
  | 'connection_options'
  | 'previous_scheme_transaction_id'
  | 'previous_transaction_link_id'
  | 'anti_fraud_fingerprint'
  | 'tax_amount'
  | 'merchant_tax_id'
  | 'purchase_order_number'
  | 'customer_reference_number'
  | 'amount_includes_tax'
  | 'supplier_order_number'
  | 'duty_amount'
  | 'shipping_amount'
>

/** A row of `transactions`. Amounts in the smallest unit of `currency`; timestamps as the database writes them in JSON. */
export interface TransactionRow {
  merchant_account_id: string
  id: string
  status: TransactionStatus
  intent: TransactionIntent
  intent_outcome: TransactionIntentOutcome
  currency: string
  country: string | null
  amount: number
  authorized_amount: number
  captured_amount: number
  refunded_amount: number
  /** Taken out of what can be captured by captures under way. */
  capture_reserved: number
  /** Taken out of what can be refunded by refunds under way. */
  refund_reserved: number
  /** How far beyond the authorization captures may go (SEMANTICS §3.5). */
  over_capture_allowance: number
  /** How many events the merchant's systems have been told of it. */
  event_count: number
  capture_closed: boolean
  active_operation_id: string | null
  method: Method | null
  instrument_type: InstrumentType | null
  payment_method: PaymentMethodSnapshot | null
  payment_service_id: string | null
  payment_service: PaymentServiceSnapshot | null
  payment_service_transaction_id: string | null
  buyer: BuyerSnapshot | null
  shipping_details: ShippingSnapshot | null
  external_identifier: string | null
  metadata: Record<string, string> | null
  error_code: OperationCode | FlowCode | null
  facts: Facts
  details: Details
  three_d_secure: TransactionThreeDSecureSummary | null
  payment_source: TransactionPaymentSource
  merchant_initiated: boolean
  is_subsequent_payment: boolean
  ip_address: string | null
  pending_review: boolean
  disputed: boolean
  /** What chargebacks took and reversals have not given back; absent or null: nothing. */
  disputed_amount?: number | null
  settled: boolean
  settled_currency: string | null
  settled_amount: number
  /** Null where no buyer is asked. */
  approval: BuyerApproval | null
  /** What gift cards pay of it; null: nothing. */
  gift_cards: GiftCardTender | null
  /** Further ids of the payment at the payment service; null: none. */
  identifiers: Record<string, string> | null
  checkout_session_id: string | null
  payment_link_id: string | null
  /** What flow rules decided; null: no rule did. */
  actions: TransactionAction[] | null
  /** The payment services that could have taken it, in the order of trying; null: there was no choice. */
  eligible: string[] | null
  /** What an anti-fraud service said; null: none was asked. */
  anti_fraud: Screening | null
  reauthorized_from_transaction_id: string | null
  approval_expires_at: string | null
  buyer_approval_timedout_at: string | null
  authorized_at: string | null
  captured_at: string | null
  voided_at: string | null
  canceled_at: string | null
  created_at: string
  updated_at: string
}

/** The rows that an answer shows. Stored with an idempotency key, they give the same answer again (SEMANTICS §0.8). */
export interface AnswerRows {
  transaction: TransactionRow
  operation?: OperationRow
}
