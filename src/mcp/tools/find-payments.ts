import { Type } from 'typebox'
import { Currency, Described, FilterAmount, Text, Timestamp, Uuid } from '../../api/schema.ts'
import { TransactionStatus, type TransactionSummary } from '../../transactions/transaction.schema.ts'
import { read } from '../call-api.ts'
import { PaymentSummary, summaryOf } from '../payment-summary.ts'
import { Input, Output, reads, tool } from '../tool.ts'

const optional = Type.Optional
const MAX_PAYMENTS = 25

/** Finds payments by what a buyer or a merchant knows of them. */
export const findPayments = tool({
  name: 'find_payments',
  title: 'Find payments',
  description:
    'Finds payments of the merchant account, the most recently changed first. All filters apply together; without one, the latest payments are answered. Start here with what the buyer tells: an order number, an e-mail address, an amount and a day, the last four digits of the card.',
  input: Input({
    search: optional(
      Described(
        Text(1, 300),
        'Equals an id of the payment, its order number (external identifier), the reference on the receipt (reconciliation id), the payment service’s id, or the buyer’s id',
      ),
    ),
    external_identifier: optional(Described(Text(1, 300), 'The merchant’s own order number, exactly')),
    buyer_email_address: optional(Described(Text(3, 320), 'The buyer’s e-mail address, exactly')),
    buyer_id: optional(Uuid),
    card_last4: optional(Described(Type.String({ pattern: '^\\d{4}$' }), 'The last four digits of the card')),
    status: optional(Type.Array(TransactionStatus, { minItems: 1, maxItems: 9 })),
    error_code: optional(Described(Text(1, 100), 'The code of the decline or failure')),
    amount_gte: optional(Described(FilterAmount, 'In the smallest unit of the currency')),
    amount_lte: optional(FilterAmount),
    currency: optional(Currency),
    created_from: optional(Described(Timestamp, 'ISO 8601 with offset')),
    created_to: optional(Timestamp),
    disputed: optional(Type.Boolean()),
    has_refunds: optional(Type.Boolean()),
    limit: optional(Type.Integer({ minimum: 1, maximum: MAX_PAYMENTS, default: 10 })),
    cursor: optional(Described(Text(1, 1000), '`next_cursor` of the page before, with the same filters')),
  }),
  output: Output({
    payments: Type.Array(PaymentSummary),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  }),
  annotations: reads,
  scopes: ['transactions.read', 'buyers.billing-details.read'],
  async run(
    { card_last4, created_from, created_to, currency, error_code, limit = 10, ...filters },
    { call },
  ) {
    const page = await read<{ items: TransactionSummary[]; next_cursor: string | null }>(
      call,
      '/transactions',
      {
        ...filters,
        limit,
        ...(card_last4 !== undefined && { payment_method_label: card_last4 }),
        ...(created_from !== undefined && { created_at_gte: created_from }),
        ...(created_to !== undefined && { created_at_lte: created_to }),
        ...(currency !== undefined && { currency: [currency] }),
        ...(error_code !== undefined && { error_code: [error_code] }),
      },
    )
    return { payments: page.items.map(summaryOf), next_cursor: page.next_cursor }
  },
})
