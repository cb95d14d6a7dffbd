import { type Static, Type } from 'typebox'
import {
  Amount,
  Closed,
  Currency,
  Described,
  Erasable,
  Nullable,
  Page,
  Text,
  Timestamp,
  Uuid,
  Words,
} from '../../api/schema.ts'

export const RefundStatus = Words('processing', 'succeeded', 'failed', 'declined', 'voided')
export type RefundStatus = Static<typeof RefundStatus>

export const RefundTargetType = Words('payment-method', 'gift-card-redemption')
export type RefundTargetType = Static<typeof RefundTargetType>

const force = Type.Optional(
  Nullable(
    Described(
      Type.Boolean(),
      'Refund money that is disputed as well: the buyer is given it twice unless the dispute is won. `reason` is required, and stands in the audit log',
    ),
  ),
)

export const TransactionRefundCreate = Closed('TransactionRefundCreate', {
  amount: Type.Optional(
    Nullable(Described(Amount, 'In the smallest unit of the currency; absent: everything that is left')),
  ),
  target_type: Type.Optional(RefundTargetType),
  target_id: Type.Optional(Nullable(Uuid)),
  reason: Type.Optional(Erasable(Nullable(Type.String({ maxLength: 100 })))),
  external_identifier: Type.Optional(Nullable(Text(1, 300))),
  force,
})
export type TransactionRefundCreate = Static<typeof TransactionRefundCreate>

export const TransactionRefundAllCreate = Closed('TransactionRefundAllCreate', {
  reason: Type.Optional(Erasable(Nullable(Type.String({ maxLength: 100 })))),
  external_identifier: Type.Optional(Nullable(Text(1, 300))),
  force,
})
export type TransactionRefundAllCreate = Static<typeof TransactionRefundAllCreate>

export const Creator = Closed('Creator', {
  id: Uuid,
  name: Type.String(),
  email_address: Type.String(),
})
export type Creator = Static<typeof Creator>

export const Refund = Closed('Refund', {
  type: Type.Literal('refund'),
  id: Uuid,
  transaction_id: Uuid,
  payment_service_refund_id: Nullable(Text(1, 300)),
  status: RefundStatus,
  currency: Currency,
  amount: Amount,
  reason: Erasable(Nullable(Type.String())),
  target_type: RefundTargetType,
  target_id: Nullable(
    Described(
      Uuid,
      'The stored payment method or gift card that the money goes back to; null: it is not stored',
    ),
  ),
  /** An addition to the contract. */
  gift_card_redemption_id: Nullable(
    Described(Uuid, 'The gift card redemption that is refunded; null: the payment method’s part'),
  ),
  reconciliation_id: Type.String(),
  external_identifier: Nullable(Type.String()),
  transaction_reconciliation_id: Type.String(),
  transaction_external_identifier: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
  creator: Nullable(Described(Creator, 'The person who asked for it; null: an API key did')),
  error_code: Nullable(Type.String()),
  raw_response_code: Nullable(Type.String()),
  raw_response_description: Nullable(Type.String()),
  settled_currency: Nullable(Currency),
  settled_amount: Type.Integer(),
  settled: Type.Boolean(),
})
export type Refund = Static<typeof Refund>

export const Refunds = Page('Refunds', Refund)
export type Refunds = Static<typeof Refunds>
