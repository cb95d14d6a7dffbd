import type { OperationRow } from '../operations/operation.ts'
import type { TransactionRow } from './transaction.row.ts'

/** A transaction and the operation on it that is, or was, under way. */
export interface PaymentStep {
  transaction: TransactionRow
  operation: OperationRow
}
