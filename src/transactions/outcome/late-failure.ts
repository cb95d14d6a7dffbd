/**
 * A success that the payment service takes back: a refund that the bank could not deliver, a capture that the
 * scheme refused, money that did not get back to a gift card. Before: `late-outcome.ts` has read it in the payment
 * service's books. `projection.ts` says what it changes, `operations/journal/late-failure.ts` writes it. After:
 * the merchant may refund or capture the money again.
 */

import { timeOf } from '../../base/clock.ts'
import {
  type LateFailureRecord,
  type LateFailureResult,
  recordLateFailure,
} from '../../operations/journal/late-failure.ts'
import { readOperation } from '../../operations/journal/read-operations.ts'
import {
  isGiftCardKind,
  isLateFailureKind,
  type LateFailure,
  type LateFailureKind,
  newOperation,
  type OperationOutcome,
  type OperationRow,
  operationDetails,
} from '../../operations/operation.ts'
import type { TimelineEntry } from '../../operations/timeline-entry.ts'
import type { World } from '../../world.ts'
import { leftToRefund } from '../actions/counted-money.ts'
import { outboxEvent } from '../outbox.ts'
import { projectLateFailure, type TransactionChange } from '../projection.ts'
import { paymentServiceContext, timelineEntry, timelineOfOutcome } from '../timeline.ts'
import type { PaymentStep, TransactionRow } from '../transaction.row.ts'

/** A refusal, as the books have it. */
export type Refusal = Extract<OperationOutcome, { code: unknown }>

/** Each try is lost to another outcome of the same transaction. */
const MAX_TRIES = 100

/** The events of each kind (semantics §15.4): those of a failure that comes at once. */
const eventNames: Record<LateFailureKind, readonly string[]> = {
  capture: ['capture.failed', 'transaction.capture-failed'],
  sale: ['capture.failed', 'transaction.failed'],
  refund: ['refund.failed'],
  'gift-card-refund': ['refund.failed'],
  // it is no refund of the merchant's, and its payment has failed
  reverse: [],
}

/**
 * Takes the amounts of a succeeded operation back, once. False: the transaction's money has gone on, so that
 * its amounts would contradict each other: a part of the capture has been refunded, or a dispute has taken it.
 */
export async function takeBack(world: World, step: PaymentStep, refusal: Refusal): Promise<boolean> {
  let { transaction, operation } = step
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const record = lateFailureRecord(world, transaction, operation, refusal)
    const result: LateFailureResult = record ? await recordLateFailure(world, record) : 'no money left'
    if (result === 'recorded') reportLateFailure(world, operation, refusal)
    if (result !== 'changed meanwhile') return result !== 'no money left'
    const current = await readOperation<TransactionRow>(world, operation.merchant_account_id, operation.id)
    if (!current) throw new Error(`operation ${operation.id} has vanished`)
    ;({ transaction, operation } = current)
  }
  throw new Error(`the late failure of ${operation.id} could not be recorded: its transaction keeps changing`)
}

/** Undefined: the amounts would contradict each other. */
function lateFailureRecord(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  refusal: Refusal,
): LateFailureRecord | undefined {
  const { kind } = operation
  if (!isLateFailureKind(kind)) return undefined
  const amount = operation.effective_amount ?? operation.amount
  const { redemption } = operation.input
  const failed = { kind, final: operation.input.final ?? true }
  const change = projectLateFailure(row, { ...failed, amount, redemption })
  const disputed = row.disputed_amount ?? 0
  if (!change || !isCovered(row, change, disputed)) return undefined
  const { raw_response_code = null, raw_response_description = null } = refusal.facts
  const lateFailure: LateFailure = { code: refusal.code, raw_response_code, raw_response_description }
  const now = timeOf(world.clock)
  return {
    operation,
    lateFailure,
    journalRow: newOperation(
      {
        merchant_account_id: row.merchant_account_id,
        id: world.ids.next(),
        transaction_id: row.id,
        kind: 'late-failure',
        amount,
        currency: operation.currency,
        payment_service_id: operation.payment_service_id,
        check_at: null,
        created_at: now,
      },
      {
        status: 'failed',
        error_code: refusal.code,
        facts: operationDetails(refusal.facts),
        settled_at: now,
        input: { undoes: operation.id, failed, ...(redemption !== undefined && { redemption }) },
      },
    ),
    transaction: {
      from: row.status,
      fromCaptured: row.captured_amount,
      fromCaptureReserved: row.capture_reserved,
      fromDisputed: disputed,
      to: change.status,
      intentOutcome: change.intentOutcome,
      authorized: change.authorized,
      captured: change.captured,
      refunded: change.refunded,
      captureClosed: change.captureClosed,
      redemptions: change.redemptions,
      errorCode: kind === 'sale' ? refusal.code : null,
      facts: kind === 'sale' ? refusal.facts : null,
    },
    timeline: isGiftCardKind(kind)
      ? timelineOfOutcome(world, row, operation, refusal, change, null)
      : timelineOf(world, row, operation, lateFailure, change),
    events: eventNames[shownKind(kind, change)].map((name) => outboxEvent(world, name)),
  }
}

/** A sale beside gift cards that stand has failed as a capture does: the payment goes on. */
const shownKind = (kind: LateFailureKind, { status }: TransactionChange): LateFailureKind =>
  kind === 'sale' && status !== 'authorization_failed' ? 'capture' : kind

/** Whether what stays captured covers what was refunded, and what a dispute has taken. */
const isCovered = (row: TransactionRow, { captured }: TransactionChange, disputed: number): boolean =>
  captured === 0 || leftToRefund(row) + captured >= disputed

function timelineOf(
  world: World,
  row: TransactionRow,
  { kind, id, amount, payment_service_operation_id: reference }: OperationRow,
  lateFailure: LateFailure,
  { status }: TransactionChange,
): TimelineEntry[] {
  const context = {
    ...paymentServiceContext(row),
    payment_service_transaction_id: row.payment_service_transaction_id,
    status: 'failed',
    ...lateFailure,
    amount,
  }
  const failure =
    kind === 'refund'
      ? timelineEntry(world, 'payment-connector-transaction-webhook-processed', {
          ...context,
          operations: 1,
          refund_id: id,
          refund_xid: reference,
        })
      : timelineEntry(world, 'payment-connector-response-transaction-capture-failed', context)
  return status === row.status
    ? [failure]
    : [failure, timelineEntry(world, 'transaction-updated-status', { status, previous_status: row.status })]
}

function reportLateFailure(
  { metrics, log }: World,
  { kind, id, transaction_id }: OperationRow,
  { code }: Refusal,
): void {
  const about = { transaction: transaction_id, operation: id, kind, code }
  metrics.lateOutcome('taken_back')
  log.warn(about, 'the payment service took a success back: its amounts fall back')
  if (kind !== 'reverse') return
  metrics.lateOutcome('compensation_refused')
  log.error(
    about,
    'the gift card service took the compensation of a failed payment back: give the money back there',
  )
}
