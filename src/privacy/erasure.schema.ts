import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Timestamp, Uuid, Words } from '../api/schema.ts'

const ErasureStatus = Described(
  Words('pending', 'succeeded'),
  '`pending`: it is being carried out, or waits for what is under way. `succeeded`: nothing personal is left; should a later operation bring something back, that is erased, too',
)

export const BuyerErasure = Closed('BuyerErasure', {
  type: Type.Literal('buyer-erasure'),
  buyer_id: Uuid,
  merchant_account_id: Type.String(),
  status: ErasureStatus,
  waiting: Described(
    Type.Integer({ minimum: 0 }),
    'How many of the buyer’s payments, payouts and payment links wait until what is under way is over, as of the last look',
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  completed_at: Nullable(Described(Timestamp, 'When everything was erased; null while it is pending')),
})
export type BuyerErasure = Static<typeof BuyerErasure>

export const TransactionErasure = Closed('TransactionErasure', {
  type: Type.Literal('transaction-erasure'),
  transaction_id: Uuid,
  merchant_account_id: Type.String(),
  status: ErasureStatus,
})
export type TransactionErasure = Static<typeof TransactionErasure>
