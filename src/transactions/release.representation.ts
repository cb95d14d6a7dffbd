import type { OperationStatus } from '../operations/operation.ts'
import { captureStatus, operationCodes } from './capture.representation.ts'
import type { CancelStatus, TransactionCancel, TransactionVoid } from './release.schema.ts'
import { showTransaction } from './transaction.representation.ts'
import type { Shown } from './transaction.row.ts'

export const showVoid = ({ transaction, operation }: Required<Shown>): TransactionVoid => ({
  type: 'transaction-void',
  status: captureStatus[operation.status],
  ...operationCodes(operation),
  transaction: showTransaction(transaction),
})

/** A cancellation knows no "declined". */
const cancelStatus = (status: OperationStatus): CancelStatus => {
  const shown = captureStatus[status]
  return shown === 'declined' ? 'failed' : shown
}

export const showCancel = ({ transaction, operation }: Required<Shown>): TransactionCancel => ({
  type: 'transaction-cancel',
  status: cancelStatus(operation.status),
  ...operationCodes(operation),
  transaction: showTransaction(transaction),
})
