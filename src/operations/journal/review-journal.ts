import type { World } from '../../world.ts'
import type { OperationRow } from '../operation.ts'
import type { TimelineEntry } from '../timeline-entry.ts'
import * as functions from './functions/review.sql.ts'
import { numberEvents, type OutboxEvent, timelineParameters } from './journal.ts'

export type { ReviewStep } from './functions/review.sql.ts'

export interface ReviewDecision {
  account: string
  transaction: string
  /** The anti-fraud service that says so. */
  service: string
  decision: 'accept' | 'reject'
  /** ISO 8601. */
  now: string
  timeline: TimelineEntry[]
}

/**
 * Writes down what was decided of a payment that is held. Undefined: that service holds no such payment, or
 * it was decided before.
 */
export async function recordReviewDecision<T>(
  world: World,
  { account, transaction, service, decision, now, timeline }: ReviewDecision,
): Promise<T | undefined> {
  const decided = await functions.recordReviewDecision.call<T | null>(world, {
    account,
    transactionId: transaction,
    serviceId: service,
    decision,
    now,
    timelineId: world.ids.next(),
    ...timelineParameters(world, timeline),
  })
  return decided ?? undefined
}

export interface ReviewFollowUp {
  account: string
  transaction: string
  step: functions.ReviewStep
  /** What was looked at; it must still be so. */
  status: string
  operation: OperationRow | null
  now: string
  events: OutboxEvent[]
}

/**
 * Lets a decided payment go on, with the operation that this means, in one commit. Undefined: it has changed
 * meanwhile, and nothing was written.
 */
export async function followReviewDecision<T>(
  world: World,
  followUp: ReviewFollowUp,
): Promise<T | undefined> {
  const { account, transaction, operation, step, status, now, events } = followUp
  const released = await functions.followReviewDecision[step].call<T | null>(world, {
    account,
    transactionId: transaction,
    operationId: operation?.id ?? null,
    amount: operation?.amount ?? null,
    fromStatus: status,
    now,
    operations: JSON.stringify(operation ? [operation] : []),
    events: JSON.stringify(numberEvents(events)),
  })
  return released ?? undefined
}

/** Recovery looks at the review of this screening again at `checkAt`; null: there is nothing left to do. */
export async function postponeReview(
  world: World,
  { merchant_account_id, id, transaction_id }: OperationRow,
  checkAt: string | null,
): Promise<void> {
  await functions.postponeReview.run(world, {
    account: merchant_account_id,
    operationId: id,
    transactionId: transaction_id,
    checkAt,
  })
}
