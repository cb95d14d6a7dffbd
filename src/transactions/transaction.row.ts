import type { Screening } from '../anti-fraud/screening.schema.ts'
import type { GuestBuyer, ShippingDetailsCreate } from '../buyers/buyer.schema.ts'
import type { DelegatedPayment } from '../checkout/delegated-payments/delegate-payment.schema.ts'
import type { TransactionIntent, TransactionPaymentSource } from '../checkout/payment-terms.schema.ts'
import type { InstrumentType, IntegrationClient, Method, Mode } from '../connectors/contract/method.schema.ts'
import type { ResponseDetails } from '../connectors/contract/outcome.ts'
import type { GiftCardTender } from '../gift-cards/redemptions/redemption.ts'
import type { OperationCode, OperationRow } from '../operations/operation.ts'
import type { TransactionAction } from '../routing/action.schema.ts'
import type { FlowCode } from '../routing/rules/outcome.schema.ts'
import type { TransactionThreeDSecureSummary } from '../three-d-secure/three-d-secure.schema.ts'
import type { TransactionCreate, TransactionIntentOutcome, TransactionStatus } from './transaction.schema.ts'

/**
 * What a transaction shows of its payment method, copied when the transaction is created. Absent or null:
 * unknown.
 */
export interface PaymentMethodSnapshot {
  method: Method
  /** The stored payment method; absent: the method is not stored. */
  id?: string
  /** The method is to be stored with this payment, which has not succeeded yet. */
  provisional?: true
  /** The method is stored by this transaction, without a payment; it can pay once the transaction has succeeded. */
  being_stored?: true
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

/** Whether a success of the transaction stores its payment method. */
export const storesMethod = ({ payment_method: method }: Pick<TransactionRow, 'payment_method'>): boolean =>
  method?.provisional === true || method?.being_stored === true

/** How the buyer of this payment approves it (API §4.11). */
export interface BuyerApproval {
  /**
   * Who asks the cardholder of a card payment: Railyard's 3-D Secure (`issuer`, semantics §7), or the payment
   * service within the payment (`provider`). Absent: the payment service asks a buyer to approve an order.
   */
  asks?: 'issuer' | 'provider'
  /** The payment itself waits for the buyer: its pending outcome had the approval. */
  in_payment?: true
  integration_client: IntegrationClient
  /**
   * The merchant's page that the buyer returns to; null: the buyer approves inside the merchant's page and
   * never leaves it.
   */
  redirect_url: string | null
  /**
   * The page where the buyer approves; null in client integrations, and until the payment service has
   * answered.
   */
  url: string | null
  /**
   * What a session exchange answers (client integrations), or the `Challenge` that Railyard's page posts to
   * the issuer; null: neither.
   */
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

/** Where the goods go; with `id` and `buyer_id` if they are a buyer's stored shipping details. */
export type ShippingSnapshot = ShippingDetailsCreate & { id?: string; buyer_id?: string }

/**
 * The members of a request that its transaction stores and shows, in the column `details`.
 * `payment_service_id` is the service that the merchant named, so that no rule routed the payment.
 */
export const detailKeys = [
  'payment_service_id',
  'airline',
  'cart_items',
  'statement_descriptor',
  'recipient',
  'installment_count',
  'account_funding_transaction',
  'allow_partial_authorization',
  'async_capture',
  'description',
  'browser_info',
  'connection_options',
  'previous_scheme_transaction_id',
  'previous_transaction_link_id',
  'anti_fraud_fingerprint',
  'tax_amount',
  'merchant_tax_id',
  'purchase_order_number',
  'customer_reference_number',
  'amount_includes_tax',
  'supplier_order_number',
  'duty_amount',
  'shipping_amount',
  'agent_evidence',
] as const satisfies readonly (keyof TransactionCreate)[]

/** The inputs of `detailKeys`; absent: the request did not have it. */
export type Details = Pick<TransactionCreate, (typeof detailKeys)[number]> & {
  /** The delegated payment that pays, with the id of its row; absent: none does. */
  delegated_payment?: DelegatedPayment & { row: string }
}

/**
 * A row of `transactions`. Amounts in the smallest unit of `currency`; timestamps as the database writes them
 * in JSON.
 */
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
  /** Reserved for captures whose outcome is open. */
  capture_reserved: number
  /** Reserved for refunds whose outcome is open. */
  refund_reserved: number
  /** How far captures may exceed the authorization (semantics §3.5). */
  over_capture_allowance: number
  /** How many events the outbox has about this transaction: the sequence number of the last one. */
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
  facts: ResponseDetails
  details: Details
  three_d_secure: TransactionThreeDSecureSummary | null
  payment_source: TransactionPaymentSource
  merchant_initiated: boolean
  is_subsequent_payment: boolean
  ip_address: string | null
  pending_review: boolean
  disputed: boolean
  /** What chargebacks took and reversals have not returned; absent or null: nothing. */
  disputed_amount?: number | null
  settled: boolean
  settled_currency: string | null
  settled_amount: number
  /** Null: the payment needs no approval of a buyer. */
  approval: BuyerApproval | null
  /** The part that gift cards pay; null: none. */
  gift_cards: GiftCardTender | null
  /** Further ids of the payment at the payment service; null: none. */
  identifiers: Record<string, string> | null
  checkout_session_id: string | null
  payment_link_id: string | null
  /** What flow rules decided; null: no rule applied. */
  actions: TransactionAction[] | null
  /**
   * The payment services that could have taken the payment, in the order of trying; null: there was no
   * choice.
   */
  eligible: string[] | null
  /** What an anti-fraud service answered; null: no service screened the payment. */
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

/**
 * The rows that an answer shows. They are stored with an idempotency key, so that a replay gets the same
 * answer (semantics §0.8).
 */
export interface AnswerRows {
  transaction: TransactionRow
  operation?: OperationRow
}

/** A transaction and the operation on it that is, or was, under way. */
export interface PaymentStep {
  transaction: TransactionRow
  operation: OperationRow
}
