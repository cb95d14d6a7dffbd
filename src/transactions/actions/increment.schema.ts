import { type Static, Type } from 'typebox'
import { Amount, Closed, Described, Nullable, Words } from '../../api/schema.ts'
import { Transaction } from '../transaction.schema.ts'

export const IncrementalAuthorizationStatus = Words('succeeded', 'failed', 'pending')
export type IncrementalAuthorizationStatus = Static<typeof IncrementalAuthorizationStatus>

export const TransactionAuthorizationIncrementCreate = Closed('TransactionAuthorizationIncrementCreate', {
  amount: Described(Amount, 'What is added to the authorization, in the smallest unit of the currency'),
})
export type TransactionAuthorizationIncrementCreate = Static<typeof TransactionAuthorizationIncrementCreate>

export const TransactionAuthorizationIncrement = Closed('TransactionAuthorizationIncrement', {
  type: Type.Literal('transaction-authorization-increment'),
  status: IncrementalAuthorizationStatus,
  code: Nullable(Type.String()),
  raw_response_code: Nullable(Type.String()),
  raw_response_description: Nullable(Type.String()),
  transaction: Transaction,
})
export type TransactionAuthorizationIncrement = Static<typeof TransactionAuthorizationIncrement>
