import { timeOf } from '../../base/clock.ts'
import type { ResponseDetails } from '../../connectors/contract/outcome.ts'
import type { RedemptionChanges } from '../../gift-cards/redemptions/redemption.ts'
import type { World } from '../../world.ts'
import type { LateFailure, OperationRow } from '../operation.ts'
import type { TimelineEntry } from '../timeline-entry.ts'
import { recordLateFailure as recordLateFailureFunction } from './functions/late-failure.sql.ts'
import {
  eventCounts,
  isViolation,
  numberEvents,
  type OutboxEvent,
  retryJournalWrite,
  timelineParameters,
  traceCommit,
} from './journal.ts'

/** What the late failure of an operation writes. */
export interface LateFailureRecord {
  operation: OperationRow
  lateFailure: LateFailure
  /** The row of the journal that takes the amounts back. */
  journalRow: OperationRow
  transaction: {
    from: string
    /** What the change was computed from; it must still be so. */
    fromCaptured: number
    fromCaptureReserved: number
    fromDisputed: number
    to: string
    /** Null: unchanged. */
    intentOutcome: string | null
    authorized: number
    captured: number
    refunded: number
    captureClosed: boolean | null
    /** What becomes of gift card redemptions; null: nothing. */
    redemptions: RedemptionChanges | null
    errorCode: string | null
    facts: ResponseDetails | null
  }
  timeline: TimelineEntry[]
  events: OutboxEvent[]
}

/** `changed meanwhile`, `no money left`: nothing was written. */
export type LateFailureResult = 'recorded' | 'already recorded' | 'changed meanwhile' | 'no money left'

/** Records in one commit that an operation has failed after it had succeeded. */
export async function recordLateFailure(world: World, record: LateFailureRecord): Promise<LateFailureResult> {
  const { operation, lateFailure, journalRow, transaction: change, timeline, events } = record
  const parameters = {
    account: operation.merchant_account_id,
    operationId: operation.id,
    transactionId: operation.transaction_id,
    now: timeOf(world.clock),
    lateFailure: JSON.stringify(lateFailure),
    journalRow: JSON.stringify(journalRow),
    fromStatus: change.from,
    toStatus: change.to,
    fromCaptured: change.fromCaptured,
    fromCaptureReserved: change.fromCaptureReserved,
    fromDisputed: change.fromDisputed,
    intentOutcome: change.intentOutcome,
    authorized: change.authorized,
    captured: change.captured,
    refunded: change.refunded,
    captureClosed: change.captureClosed,
    redemptions: change.redemptions && JSON.stringify(change.redemptions),
    errorCode: change.errorCode,
    facts: change.facts && JSON.stringify(change.facts),
    timelineId: world.ids.next(),
    ...timelineParameters(world, timeline),
    events: JSON.stringify(numberEvents(events)),
    ...eventCounts(events),
  }
  try {
    const write = () => recordLateFailureFunction.call<'recorded' | 'already recorded'>(world, parameters)
    return await traceCommit(world, 'record outcome', journalRow, () => retryJournalWrite(write))
  } catch (error) {
    if (isViolation(error, 'transactions_status_known')) return 'changed meanwhile'
    if (isViolation(error, 'refunded_within_capture')) return 'no money left'
    throw error
  }
}
