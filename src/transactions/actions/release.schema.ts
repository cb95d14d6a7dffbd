import type { Static } from 'typebox'
import { Closed, Words } from '../../api/schema.ts'
import { actionAnswer } from './action-answer.schema.ts'

export const VoidStatus = Words('succeeded', 'pending', 'declined', 'failed')
export type VoidStatus = Static<typeof VoidStatus>

export const TransactionVoid = Closed('TransactionVoid', actionAnswer('transaction-void', VoidStatus))
export type TransactionVoid = Static<typeof TransactionVoid>

export const CancelStatus = Words('succeeded', 'pending', 'failed')
export type CancelStatus = Static<typeof CancelStatus>

export const TransactionCancel = Closed('TransactionCancel', actionAnswer('transaction-cancel', CancelStatus))
export type TransactionCancel = Static<typeof TransactionCancel>
