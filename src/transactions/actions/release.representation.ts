import type { OperationStatus } from '../../operations/operation.ts'
import type { AnswerRows } from '../transaction.row.ts'
import { captureStatus, operationCodes } from '../views/capture.representation.ts'
import { showTransaction } from '../views/transaction.representation.ts'
import type { CancelStatus, TransactionCancel, TransactionVoid } from './release.schema.ts'

export const showVoid = ({ transaction, operation }: Required<AnswerRows>): TransactionVoid => ({
  type: 'transaction-void',
  status: captureStatus[operation.status],
  ...operationCodes(operation),
  transaction: showTransaction(transaction),
})

/** A cancellation is never `declined`: a refused one is `failed`. */
const cancelStatus = (status: OperationStatus): CancelStatus => {
  const shown = captureStatus[status]
  return shown === 'declined' ? 'failed' : shown
}

export const showCancel = ({ transaction, operation }: Required<AnswerRows>): TransactionCancel => ({
  type: 'transaction-cancel',
  status: cancelStatus(operation.status),
  ...operationCodes(operation),
  transaction: showTransaction(transaction),
})
