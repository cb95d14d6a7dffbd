import { captureStatus, operationCodes } from './capture.representation.ts'
import type { TransactionAuthorizationIncrement } from './increment.schema.ts'
import { showTransaction } from './transaction.representation.ts'
import type { Shown } from './transaction.row.ts'

/** Its statuses are succeeded, failed and pending (SEMANTICS §0.3). */
export function showIncrement({ transaction, operation }: Required<Shown>): TransactionAuthorizationIncrement {
  const status = captureStatus[operation.status]
  return {
    type: 'transaction-authorization-increment',
    status: status === 'declined' ? 'failed' : status,
    ...operationCodes(operation),
    transaction: showTransaction(transaction),
  }
}
