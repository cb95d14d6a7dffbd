import type { AnswerRows } from '../transaction.row.ts'
import { captureStatus, operationCodes } from '../views/capture.representation.ts'
import { showTransaction } from '../views/transaction.representation.ts'
import type { TransactionAuthorizationIncrement } from './increment.schema.ts'

/** An increment is never `declined`: a refused one is `failed` (semantics §0.3). */
export function showIncrement({
  transaction,
  operation,
}: Required<AnswerRows>): TransactionAuthorizationIncrement {
  const status = captureStatus[operation.status]
  return {
    type: 'transaction-authorization-increment',
    status: status === 'declined' ? 'failed' : status,
    ...operationCodes(operation),
    transaction: showTransaction(transaction),
  }
}
