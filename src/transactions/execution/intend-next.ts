import type { OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { newOperationOn } from '../new-operation.ts'
import type { PaymentStep, TransactionRow } from '../transaction.row.ts'
import type { NextStep } from './next-step.ts'
import { renewAuthorization } from './renew-authorization.ts'

/** The rows of the next step, which are written in the commit that records the outcome. */
export interface IntendedOperation {
  operation: OperationRow
  /** The transaction that the operation opens; null: it belongs to the one before. */
  opens: TransactionRow | null
}

/**
 * Undefined: no operation follows. The operation takes over the idempotency key of `before`, since its
 * outcome is the answer to the request.
 */
export function intendNext(
  world: World,
  { transaction, operation: before }: PaymentStep,
  next: NextStep,
): IntendedOperation | undefined {
  switch (next.kind) {
    case 'done':
    case 'challenge':
      return undefined
    case 'renew-authorization': {
      const { transaction: opens, operation } = renewAuthorization(world, transaction, before)
      return { operation, opens }
    }
    case 'authenticate':
    case 'continue':
    case 'compensate':
    case 'retry-with-newer-card':
    case 'retry-authenticated':
    case 'retry-at-another-service':
      return { operation: newOperationOn(world, transaction, next.operation, before), opens: null }
  }
}

/** The same, for recovery: no request waits, and the next process that looks for due operations sends it. */
export function queueNext(world: World, step: PaymentStep, next: NextStep): IntendedOperation | undefined {
  const intended = intendNext(world, step, next)
  return (
    intended && {
      ...intended,
      operation: { ...intended.operation, check_at: intended.operation.created_at, status: 'queued' },
    }
  )
}
