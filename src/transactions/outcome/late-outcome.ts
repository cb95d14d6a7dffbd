import type { Exchange } from '../../connectors/contract/call.ts'
/**
 * What a payment service did with an operation after Railyard had decided it: a payment that counts as failed
 * is approved all the same, or a success is taken back. Before: a verified notification says so
 * (`notification.routes.ts`), and `operations/journal/late-notice.ts` has made recovery look at the operation
 * once more. The notification is never believed: the payment service's books decide. After: a compensation is
 * queued, which recovery sends and follows as every other operation, or `late-failure.ts` takes the amounts
 * back.
 */

import type { LateOutcome } from '../../connectors/contract/connector.ts'
import type { BookFinding } from '../../connectors/contract/outcome.ts'
import { lookUpDecidedOperation, type SendableOperation } from '../../operations/calls/send-operation.ts'
import { intendLateCompensation } from '../../operations/journal/late-compensation.ts'
import { scheduleLateLookup } from '../../operations/journal/late-notice.ts'
import {
  isLateCompensation,
  isLateFailureKind,
  isPaymentKind,
  type OperationOutcome,
  type OperationRow,
  operationLogFields,
} from '../../operations/operation.ts'
import { nextLateLookupAt } from '../../operations/operation-times.ts'
import type { World } from '../../world.ts'
import { paymentContext, sendableOperation } from '../execution/payment-context.ts'
import { newOperationOn } from '../new-operation.ts'
import { paymentServiceContext, timelineEntry } from '../timeline.ts'
import type { PaymentStep } from '../transaction.row.ts'
import { reportLateCompensation } from './late-compensation-outcome.ts'
import { type Refusal, takeBack } from './late-failure.ts'

const isRefused = ({ status }: OperationRow): boolean => status === 'declined' || status === 'failed'

/** Whether such a notification makes Railyard look at the decided operation once more. */
export function mayBeLate(operation: OperationRow, late: LateOutcome | undefined): boolean {
  const { kind, status, compensated_by: compensation = null, late_failure: failure = null } = operation
  if (late === 'approval')
    return (isPaymentKind(kind) || kind === 'payout') && isRefused(operation) && compensation === null
  return late === 'failure' && isLateFailureKind(kind) && status === 'approved' && failure === null
}

/** A decided operation that a notification has made recovery look at. */
export const isLateLookupDue = ({ check_at, late_notice_at }: OperationRow): boolean =>
  check_at !== null && (late_notice_at ?? null) !== null

/** Books that show a payment's present state show so one that was voided, or that has expired, since. */
const wasReleased = ({ code }: Refusal): boolean => code === 'canceled' || code === 'expired_authorization'

/** What the books say of a decided operation. */
type LateFinding =
  /** The outcome stands. */
  | { kind: 'same' }
  | { kind: 'unsure' }
  /** The payment service has taken the money of a payment that had failed. */
  | { kind: 'approved'; amount: number; reference: string; identifiers: Record<string, string> }
  /** The payment service has taken a success back. */
  | { kind: 'failed'; refusal: Refusal }

function lateFindingOf({ kind, status }: OperationRow, finding: BookFinding<OperationOutcome>): LateFinding {
  if (finding.status === 'unsure') return { kind: 'unsure' }
  // a verified notification told of a refused one, so the books are behind
  if (finding.status === 'absent') return { kind: status === 'approved' ? 'same' : 'unsure' }
  const { outcome } = finding
  if (status === 'approved')
    return 'code' in outcome && !(kind === 'sale' && wasReleased(outcome))
      ? { kind: 'failed', refusal: outcome }
      : { kind: 'same' }
  if (outcome.status === 'pending' || outcome.status === 'unknown') return { kind: 'unsure' }
  if (outcome.status !== 'approved' || outcome.amount === 0) return { kind: 'same' }
  const { transaction: reference, identifiers = {} } = outcome.references
  return reference === undefined
    ? { kind: 'unsure' }
    : { kind: 'approved', amount: outcome.amount, reference, identifiers }
}

/**
 * Looks at a decided operation once more. The transaction stays as it is: what came late is undone under an
 * operation of its own.
 */
export async function recoverLateOutcome(world: World, step: PaymentStep): Promise<void> {
  const { operation } = step
  const { finding, exchanges } = await lookUpDecidedOperation(world, await lateSendable(world, step))
  const found = lateFindingOf(operation, finding)
  switch (found.kind) {
    case 'same':
      return scheduleLateLookup(world, operation, null)
    case 'unsure':
      return lookAgainLater(world, operation, 'unsure')
    case 'approved':
      return compensate(world, step, found, exchanges)
    case 'failed':
      if (isLateCompensation(operation)) {
        reportLateCompensation(world, operation, found.refusal)
        return scheduleLateLookup(world, operation, null)
      }
      // a notification that came meanwhile may have made it due once more
      return (await takeBack(world, step, found.refusal))
        ? scheduleLateLookup(world, operation, null)
        : lookAgainLater(world, operation, 'conflict')
  }
}

const unfinishedLookups = {
  unsure: 'the payment service’s books do not tell the late outcome of a notification; look it up there',
  conflict:
    'the payment service took money back that was refunded or disputed since: correct the transaction',
}

/** For a day; then an operator is told. */
export async function lookAgainLater(
  world: World,
  operation: OperationRow,
  result: keyof typeof unfinishedLookups,
): Promise<void> {
  const checkAt = nextLateLookupAt(world, operation)
  if (checkAt === null) {
    world.metrics.lateOutcome(result)
    world.log.error(operationLogFields(operation), unfinishedLookups[result])
  }
  await scheduleLateLookup(world, operation, checkAt)
}

/**
 * A refused payment has the ids of its operation alone: its transaction may have been paid at another payment
 * service since.
 */
async function lateSendable(world: World, step: PaymentStep): Promise<SendableOperation> {
  const payment = await paymentContext(world, step.transaction, step.operation)
  const sendable = sendableOperation(step, payment)
  return isRefused(step.operation)
    ? { ...sendable, paymentReference: null, identifiers: {}, countsAsRefused: true }
    : sendable
}

async function compensate(
  world: World,
  { transaction, operation: late }: PaymentStep,
  { amount, reference, identifiers }: Extract<LateFinding, { kind: 'approved' }>,
  exchanges: Exchange[],
): Promise<void> {
  const kind = late.kind === 'sale' ? 'refund' : 'void'
  const compensation = {
    ...newOperationOn(world, transaction, {
      kind,
      amount,
      paymentServiceId: late.payment_service_id,
      input: { undoes: late.id, late_payment: { reference, identifiers } },
      isQueued: true,
    }),
    exchanges,
  }
  const name =
    late.kind === 'sale'
      ? 'payment-connector-response-transaction-capture-succeeded'
      : 'payment-connector-response-transaction-authorization-succeeded'
  const line = timelineEntry(world, name, {
    ...paymentServiceContext(transaction),
    payment_service_id: late.payment_service_id,
    payment_service_transaction_id: reference,
    status: 'approved',
    amount,
    // it came after the payment had failed, and is undone
    compensation: kind,
  })
  if (!(await intendLateCompensation(world, late, compensation, [line]))) return
  world.metrics.lateOutcome('approved')
  world.log.warn(
    { ...operationLogFields(late), compensation: compensation.id, kind },
    'a payment that had failed was approved late: its money is given back',
  )
}
