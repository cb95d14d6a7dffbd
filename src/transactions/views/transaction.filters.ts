import { Type } from 'typebox'
import { TransactionQuery } from './transaction.list.ts'

/** The descriptions of the parameters of `GET /transactions`. A parameter without one does not compile. */
const descriptions = {
  cursor: '`next_cursor` or `previous_cursor` of another page, with the same filters; absent: the first page',
  limit: 'How many items a page has at most',
  created_at_lte: 'Created then or before; ISO 8601 with offset',
  created_at_gte: 'Created then or after; ISO 8601 with offset',
  updated_at_lte: 'Changed last then or before; ISO 8601 with offset',
  updated_at_gte: 'Changed last then or after; ISO 8601 with offset',
  search:
    'The exact id, reconciliation id, external identifier, or payment service’s id of a transaction, or the id or external identifier of its buyer',
  buyer_external_identifier: 'The buyer’s external identifier',
  buyer_id: 'The buyer’s id',
  buyer_email_address: 'The e-mail address of the buyer’s billing details, in upper or lower case',
  ip_address: 'The buyer’s IP address',
  status: 'Any of these statuses',
  id: 'The transaction’s id',
  payment_service_transaction_id: 'What the payment service calls the payment',
  external_identifier: 'The merchant’s own reference',
  metadata: 'A JSON object of strings, all of which the metadata must hold: {"shop":"berlin"}',
  amount_eq: 'The amount, in the smallest unit of the currency',
  amount_lte: 'That amount or less',
  amount_gte: 'That amount or more',
  currency: 'Any of these currencies',
  country: 'Any of these countries',
  payment_service_id: 'Taken by any of these payment services',
  payment_method_id: 'The stored payment method’s id',
  payment_method_label: 'The last four digits of a card, or what the method shows instead',
  payment_method_scheme: 'Any of these card schemes',
  payment_method_country: 'The country of the payment method; a card’s is its issuer’s',
  payment_method_fingerprint: 'The fingerprint by which the account knows the same card again',
  method: 'Any of these payment methods',
  error_code: 'Any of these error codes',
  has_refunds: 'Whether a refund succeeded, to the payment method or to a gift card',
  has_unknown_operations:
    'Whether the outcome of an operation is unknown: of the payment, or of a capture, void or refund',
  pending_review: 'Whether it is held for review',
  checkout_session_id: 'The checkout session that it came from',
  payment_link_id: 'The payment link that it came from',
  reconciliation_id: 'The short id that settlements carry',
  has_gift_card_redemptions: 'Whether a gift card paid a part',
  gift_card_id: 'The gift card that paid a part',
  gift_card_last4: 'The last four digits of the gift card that paid a part',
  has_settlements: 'Whether it was settled',
  payment_method_bin: 'The first 6 to 8 digits of the card; payments are compared by the six that they show',
  payment_source: 'Any of these sources',
  is_subsequent_payment: 'Whether it follows an earlier payment of the buyer',
  merchant_initiated: 'Whether the merchant started it without the buyer',
  used_3ds: 'Whether the buyer was asked by 3-D Secure',
  disputed: 'Whether the buyer’s bank disputes it',
  reauthorized_from_transaction_id: 'The transaction whose authorization it renewed',
  buyer_search:
    'Each value must be one of the buyer’s data exactly, such as a name, a telephone number, a line of the address or an identifier; of the e-mail address the case does not matter',
} as const satisfies Record<keyof TransactionQuery, string>

/** `TransactionQuery` with a description of each parameter. */
export const DescribedQuery = Type.Unsafe<TransactionQuery>({
  ...TransactionQuery,
  properties: Object.fromEntries(
    Object.entries(TransactionQuery.properties).map(([name, schema]) => [
      name,
      { ...schema, description: descriptions[name as keyof typeof descriptions] },
    ]),
  ),
})
