import type { Facts } from '../routing/facts.ts'
import type { TransactionRow } from './transaction.row.ts'

/** What of a payment its routing depends on. */
export type Routed = Pick<
  TransactionRow,
  | 'amount'
  | 'currency'
  | 'country'
  | 'method'
  | 'payment_method'
  | 'payment_source'
  | 'intent'
  | 'merchant_initiated'
  | 'is_subsequent_payment'
  | 'metadata'
  | 'buyer'
  | 'created_at'
>

/** What rules are told of a payment; `previousDecline`: the refusal of the attempt before, null before the first. */
export const routingFacts = (payment: Routed, previousDecline: string | null): Facts => ({
  amount: payment.amount,
  currency: payment.currency,
  country: payment.country,
  bin: payment.payment_method?.bin ?? null,
  scheme: payment.payment_method?.scheme ?? null,
  card_type: payment.payment_method?.card_type ?? null,
  issuer_country: payment.payment_method?.issuer_country ?? null,
  method: payment.method,
  payment_source: payment.payment_source,
  intent: payment.intent,
  merchant_initiated: payment.merchant_initiated,
  is_subsequent_payment: payment.is_subsequent_payment,
  metadata: payment.metadata,
  buyer_id: payment.buyer?.id ?? null,
  buyer_external_identifier: payment.buyer?.external_identifier ?? null,
  created_at: payment.created_at,
  previous_decline: previousDecline,
})
