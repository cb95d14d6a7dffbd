/**
 * The commit that records an outcome, with the parameters of the function in `record-outcome.sql.ts`. Before:
 * `transactions/outcome/record-payment-outcome.ts` has computed what changes. After: the events are in the outbox
 * (`events/delivery/sender.ts` sends them), and a next operation is intended.
 */

import { timeOf } from '../../base/clock.ts'
import { CLOSING_MARK, type Exchange } from '../../connectors/contract/call.ts'
import type { References, ResponseDetails } from '../../connectors/contract/outcome.ts'
import type { RedemptionChanges } from '../../gift-cards/redemptions/redemption.ts'
import type { World } from '../../world.ts'
import {
  isPaymentKind,
  type OperationCode,
  type OperationRow,
  type OperationStatus,
  openStatuses,
  operationDetails,
  type SpendingReservation,
} from '../operation.ts'
import type { TimelineEntry } from '../timeline-entry.ts'
import { recordOutcome as recordOutcomeFunction } from './functions/record-outcome.sql.ts'
import {
  eventCounts,
  hexOf,
  isViolation,
  numberEvents,
  type OutboxEvent,
  placeEntries,
  recordParameters,
  retryJournalWrite,
  storedList,
  traceCommit,
} from './journal.ts'

/** The payment service's token of a method that a payment stores. */
export interface StoredTokenRecord {
  /** A row of `payment_service_tokens` as `jsonb_populate_record` reads it, sealed. */
  row: object
  /** What the provider tells of the card, by column of `payment_methods`. */
  card: object
  /** The same, by member of the transaction's `payment_method`. */
  shown: object
}

/**
 * What an outcome writes. `TransactionChange` of `transactions/projection.ts` gives the part that concerns the
 * transaction.
 */
export interface OutcomeRecord {
  operation: Pick<
    OperationRow,
    'merchant_account_id' | 'transaction_id' | 'id' | 'kind' | 'status' | 'checks' | 'mark'
  >
  status: OperationStatus
  /**
   * By `rejectedUnprocessed`: such an outcome is recorded only while recovery has not claimed the operation.
   */
  isRejectedUnprocessed: boolean
  effectiveAmount: number | null
  errorCode: OperationCode | null
  facts: ResponseDetails
  references: References
  exchanges: Exchange[]
  checkAt: string | null
  checks: number
  transaction: {
    /**
     * What the change was computed from; it must still be so. Captures under way look at each other: null for
     * other operations.
     */
    from: string
    fromCaptures: { captured: number; reserved: number } | null
    to: string
    intentOutcome: string | null
    amount: number
    authorized: number
    captured: number
    refunded: number
    captureReserved: number
    refundReserved: number
    captureClosed: boolean | null
    stamp: string | null
    /** Whether the outcome's error code and facts become the transaction's. */
    showsOutcome: boolean
    /** The operation that is under way from now on, if another follows. */
    activeOperation: string | null
    paymentService: { id: string; snapshot: unknown } | null
    /** Where the buyer approves, from now on: members of the transaction's `approval`. */
    approval: object | null
    /** What the checks before the money step found; null: nothing. */
    threeDSecure: object | null
    screening: object | null
    pendingReview: boolean | null
    /** Until when a cardholder may answer; null: as it is. */
    approvalExpiresAt: string | null
    /** Whether it was made through a payment link, for which the outcome means something, too. */
    throughLink: boolean
    /** Whether a delegated payment pays, which the outcome uses up or gives back. */
    isDelegated: boolean
    /** The instrument that was sealed for a challenge is deleted. */
    dropsSealedInstrument: boolean
    /** The payment that this one renews, which may be captured again; null: none. */
    reopenedTransaction: string | null
    /** Where the buyer wants it sent, if they chose. */
    shipping: unknown
    /** What becomes of the payment's gift card redemptions; null: nothing. */
    redemptions: RedemptionChanges | null
    /** The stored gift card that was used; null: none. */
    usedGiftCard: string | null
    /** The stored gift card that money went back to; null: none. */
    filledGiftCard: string | null
    /** What the outcome means for the stored payment method; null: nothing, or there is none. */
    paymentMethod: 'confirmed' | 'refused' | 'awaits buyer' | null
    /** The payment service's token of the method that is stored with the payment; null: none. */
    storedToken: StoredTokenRecord | null
    /**
     * What the next attempt is paid with, where that is something else; `card`: what is shown of a card that
     * replaces the refused one; `actions`: what rules decided about that attempt.
     */
    instrument: { type: string | null; card: object | null; actions?: readonly object[] } | null
  }
  /**
   * Operations (and a transaction) intended by the same commit: the next attempt, the second step of a split
   * capture, a re-authorization.
   */
  next: { transactions: object[]; operations: OperationRow[] }
  timeline: { transaction_id: string; entries: TimelineEntry[] }[]
  events: OutboxEvent[]
  /** Whether this is what the merchant's request is answered with. */
  answers: boolean
  /** What the refused operation gives back to a spending limit; undefined: nothing. */
  released: SpendingReservation | undefined
}

/**
 * `answered_before`: the request was answered by an earlier outcome, and that answer is the one that
 * counts.
 */
export type RecordOutcomeResult<T> =
  | {
      transaction: T
      operation: OperationRow
      answered_before: boolean
      /** Of the payment link, if this has moved it. */
      link_declines?: number | null
    }
  | 'already recorded'
  | 'changed meanwhile'

/**
 * Statuses that an operation may leave for `to`: an open one for a decision, the known one for `pending`,
 * which the merchant is told once; `unknown` adds nothing to `pending`. An operation that was rejected
 * unprocessed leaves the one that its sender knew, or none: another process may have sent it since.
 */
function statusesToLeave({ operation, status: to, isRejectedUnprocessed }: OutcomeRecord): OperationStatus[] {
  if (isRejectedUnprocessed) return [operation.status]
  if (to === 'pending') return operation.status === 'pending' ? [] : [operation.status]
  return openStatuses.filter((from) => from !== to && !(to === 'unknown' && from === 'pending'))
}

const json = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value)

function outcomeParameters(world: World, record: OutcomeRecord) {
  const { operation, transaction: change, next, references } = record
  const isOwn = ({ transaction_id }: { transaction_id: string }) =>
    transaction_id === operation.transaction_id
  const own = placeEntries(
    world,
    record.timeline.filter(isOwn).flatMap(({ entries }) => entries),
  )
  const rows = [
    { transaction_id: operation.transaction_id, entries: own.rows },
    ...record.timeline.filter((timeline) => !isOwn(timeline)),
  ]
  return {
    account: operation.merchant_account_id,
    operationId: operation.id,
    transactionId: operation.transaction_id,
    now: timeOf(world.clock),
    fromStatuses: statusesToLeave(record),
    onlyAfterChecks: record.isRejectedUnprocessed ? operation.checks : null,
    notWithMark:
      isPaymentKind(operation.kind) && record.status === 'approved' && operation.mark !== CLOSING_MARK
        ? CLOSING_MARK
        : null,
    status: record.status,
    effectiveAmount: record.effectiveAmount,
    serviceOperationId: references.operation ?? null,
    errorCode: record.errorCode,
    facts: JSON.stringify(operationDetails(record.facts)),
    ...recordParameters(world, [...record.exchanges, ...own.records]),
    checkAt: record.checkAt,
    checks: record.checks,
    timeline: JSON.stringify(
      rows
        .filter(({ entries }) => entries.length > 0)
        .map(({ transaction_id, entries }) => {
          const { plain, packed } = storedList(world, entries)
          return { transaction_id, id: world.ids.next(), entries: plain, packed: packed && hexOf(packed) }
        }),
    ),
    events: JSON.stringify(numberEvents(record.events)),
    ...eventCounts(record.events),
    answers: record.answers,
    fromStatus: change.from,
    toStatus: change.to,
    intentOutcome: change.intentOutcome,
    amount: change.amount,
    authorized: change.authorized,
    captured: change.captured,
    refunded: change.refunded,
    captureReserved: change.captureReserved,
    refundReserved: change.refundReserved,
    captureClosed: change.captureClosed,
    activeOperation: change.activeOperation,
    transactionFacts: change.showsOutcome ? JSON.stringify(record.facts) : null,
    serviceTransactionId: references.transaction ?? null,
    paymentServiceId: change.paymentService?.id ?? null,
    paymentService: json(change.paymentService?.snapshot),
    stamp: change.stamp,
    nextTransactions: JSON.stringify(next.transactions),
    nextOperations: JSON.stringify(next.operations),
    fromCaptured: change.fromCaptures?.captured ?? null,
    fromCaptureReserved: change.fromCaptures?.reserved ?? null,
    approval: json(change.approval),
    identifiers: json(references.identifiers),
    shippingDetails: json(change.shipping),
    instrumentType: change.instrument?.type ?? null,
    card: json(change.instrument?.card),
    actions: json(change.instrument?.actions),
    paymentMethod: change.paymentMethod,
    storedToken: json(change.storedToken),
    redemptions: json(change.redemptions),
    usedGiftCard: change.usedGiftCard,
    filledGiftCard: change.filledGiftCard,
    threeDSecure: json(change.threeDSecure),
    screening: json(change.screening),
    pendingReview: change.pendingReview,
    approvalExpiresAt: change.approvalExpiresAt,
    dropsSealedInstrument: change.dropsSealedInstrument,
    reopenedTransaction: change.reopenedTransaction,
    isDelegated: change.isDelegated,
    linkEventId: change.throughLink ? world.ids.next() : null,
    releasedSpending: json(record.released),
  }
}

/** What the function returns; null: another process was faster. */
interface Recorded<T> {
  recorded: { transaction: T; operation: OperationRow }
  answered_before: boolean
  link_declines: number | null
}

/**
 * Records an outcome in one commit. `already recorded`: another process was faster. `changed meanwhile`: the
 * transaction has left what the change was computed from. Either way nothing was written.
 */
export async function recordOutcome<T>(world: World, record: OutcomeRecord): Promise<RecordOutcomeResult<T>> {
  try {
    // a retry sends the same ids and the same time
    const parameters = outcomeParameters(world, record)
    const write = () => recordOutcomeFunction.call<Recorded<T> | null>(world, parameters)
    const result = await traceCommit(world, 'record outcome', record.operation, () =>
      retryJournalWrite(write),
    )
    if (!result) return 'already recorded'
    const { recorded, ...others } = result
    return { ...recorded, ...others }
  } catch (error) {
    if (isViolation(error, 'transactions_status_known')) return 'changed meanwhile'
    throw error
  }
}
