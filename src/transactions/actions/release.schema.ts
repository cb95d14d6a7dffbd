import { type Static, Type } from 'typebox'
import { Closed, Nullable, Words } from '../../api/schema.ts'
import { Transaction } from '../transaction.schema.ts'

export const VoidStatus = Words('succeeded', 'pending', 'declined', 'failed')
export type VoidStatus = Static<typeof VoidStatus>

export const TransactionVoid = Closed('TransactionVoid', {
  type: Type.Literal('transaction-void'),
  status: VoidStatus,
  code: Nullable(Type.String()),
  raw_response_code: Nullable(Type.String()),
  raw_response_description: Nullable(Type.String()),
  transaction: Transaction,
})
export type TransactionVoid = Static<typeof TransactionVoid>

export const CancelStatus = Words('succeeded', 'pending', 'failed')
export type CancelStatus = Static<typeof CancelStatus>

export const TransactionCancel = Closed('TransactionCancel', {
  type: Type.Literal('transaction-cancel'),
  status: CancelStatus,
  code: Nullable(Type.String()),
  raw_response_code: Nullable(Type.String()),
  raw_response_description: Nullable(Type.String()),
  transaction: Transaction,
})
export type TransactionCancel = Static<typeof TransactionCancel>
