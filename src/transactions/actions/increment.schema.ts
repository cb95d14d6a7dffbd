import type { Static } from 'typebox'
import { Amount, Closed, Described, Words } from '../../api/schema.ts'
import { actionAnswer } from './action-answer.schema.ts'

export const IncrementalAuthorizationStatus = Words('succeeded', 'failed', 'pending')
export type IncrementalAuthorizationStatus = Static<typeof IncrementalAuthorizationStatus>

export const TransactionAuthorizationIncrementCreate = Closed('TransactionAuthorizationIncrementCreate', {
  amount: Described(Amount, 'What is added to the authorization, in the smallest unit of the currency'),
})
export type TransactionAuthorizationIncrementCreate = Static<typeof TransactionAuthorizationIncrementCreate>

export const TransactionAuthorizationIncrement = Closed(
  'TransactionAuthorizationIncrement',
  actionAnswer('transaction-authorization-increment', IncrementalAuthorizationStatus),
)
export type TransactionAuthorizationIncrement = Static<typeof TransactionAuthorizationIncrement>
