import { type Static, Type } from 'typebox'
import { Closed, Open, Timestamp, Uuid, Words } from '../api/schema.ts'

export const FlowAction = Words('select-payment-options', 'route-transaction', 'decline-early', 'skip-3ds')
export type FlowAction = Static<typeof FlowAction>

export const Flow = Words('checkout', 'card-transaction', 'non-card-transaction', 'redirect-transaction')
export type Flow = Static<typeof Flow>

export const TransactionAction = Closed('TransactionAction', {
  type: Type.Literal('action'),
  id: FlowAction,
  flow: Flow,
  rule_id: Uuid,
  created_at: Timestamp,
  outcome: Open,
})
export type TransactionAction = Static<typeof TransactionAction>

export const TransactionActions = Closed('TransactionActions', {
  items: Type.Array(TransactionAction),
})
export type TransactionActions = Static<typeof TransactionActions>
