import { badRequest } from '../../api/errors.ts'
import type { TransactionRow } from '../transaction.row.ts'
import type { TransactionStatus, TransactionUpdate } from '../transaction.schema.ts'

/**
 * Statuses that wait for the outcome of an operation or for a buyer: only that outcome leads to them, no
 * person.
 */
const undecidedStatuses: readonly TransactionStatus[] = [
  'processing',
  'buyer_approval_pending',
  'authorization_void_pending',
  'capture_pending',
]

/**
 * Throws 400 for a correction after which the status and the amounts would contradict each other: an
 * authorized or captured payment without money, a declined one with money, or an amount that was never
 * authorized. The constraints of the table hold as well.
 */
export function refuseContradictions(row: TransactionRow, input: TransactionUpdate): void {
  const problem = contradiction(row, input)
  if (problem) throw badRequest(problem)
}

function contradiction(row: TransactionRow, input: TransactionUpdate): string | undefined {
  const status = input.status ?? row.status
  const amount = input.amount ?? row.amount
  const authorized = input.authorized_amount ?? row.authorized_amount
  const captured = input.captured_amount ?? row.captured_amount
  if (status !== row.status && undecidedStatuses.includes(status))
    return `The status ${status} is set by operations only`
  if (authorized > amount && (authorized !== row.authorized_amount || amount !== row.amount))
    return 'The authorized amount may not exceed the amount of the transaction'
  switch (status) {
    case 'authorization_succeeded':
    case 'capture_succeeded':
      if (amount > 0 && authorized === 0) return `A transaction that is ${status} needs an authorized_amount`
      if (status === 'capture_succeeded' && amount > 0 && captured === 0)
        return `A transaction that is ${status} needs a captured_amount`
      // after a partial authorization less than the amount is authorized, which a correction may leave as it
      // is
      if (amount > row.amount && authorized < amount)
        return 'The amount may not be raised beyond the authorized amount'
      return undefined
    case 'authorization_failed':
    case 'authorization_declined':
      return authorized > 0 || captured > 0
        ? `A transaction that is ${status} has an authorized_amount and a captured_amount of 0`
        : undefined
    case 'authorization_voided':
      return captured > 0 ? `A transaction that is ${status} has a captured_amount of 0` : undefined
    default:
      return undefined
  }
}
