import type { OutboxEvent } from '../operations/journal/journal.ts'
import { isLateCompensation, type OperationOutcome, type OperationRow } from '../operations/operation.ts'
import type { World } from '../world.ts'
import type { NamesByOutcome } from './timeline.ts'

const refundNames: NamesByOutcome<string[]> = {
  approved: ['refund.succeeded'],
  pending: ['refund.pending'],
  declined: ['refund.declined'],
  failed: ['refund.failed'],
}

/** The events that each outcome writes to the outbox (semantics §15.4). */
const outboxNames: Partial<Record<OperationRow['kind'], NamesByOutcome<string[]>>> = {
  approval: {
    pending: ['transaction.authentication-pending'],
    approved: ['transaction.authenticated'],
    declined: ['transaction.declined'],
    failed: ['transaction.failed'],
  },
  screening: { declined: ['transaction.declined'], failed: ['transaction.failed'] },
  authentication: {
    pending: ['transaction.authentication-pending'],
    approved: ['transaction.authenticated'],
    declined: ['transaction.declined'],
    failed: ['transaction.failed'],
  },
  authorize: {
    approved: ['transaction.authorized'],
    declined: ['transaction.declined'],
    failed: ['transaction.failed'],
  },
  sale: {
    approved: ['capture.succeeded', 'transaction.captured'],
    pending: ['capture.pending', 'transaction.capture-pending'],
    declined: ['transaction.declined'],
    failed: ['transaction.failed'],
  },
  capture: {
    approved: ['capture.succeeded', 'transaction.captured'],
    pending: ['capture.pending', 'transaction.capture-pending'],
    declined: ['capture.declined', 'transaction.capture-failed'],
    failed: ['capture.failed', 'transaction.capture-failed'],
  },
  void: {
    approved: ['transaction.voided'],
    pending: ['transaction.void-pending'],
    declined: ['transaction.void-declined'],
    failed: ['transaction.void-failed'],
  },
  cancel: { approved: ['transaction.failed'] },
  increment: {
    approved: ['transaction.authorization-incremented'],
    declined: ['transaction.authorization-increment-failed'],
    failed: ['transaction.authorization-increment-failed'],
  },
  refund: refundNames,
  'gift-card-refund': refundNames,
}

/**
 * The outbox events of an outcome. An unknown outcome counts as pending for the merchant, and the outbox
 * announces pending once: nothing is written when an unknown operation turns out to be pending.
 */
export function outboxEventsOfOutcome(
  world: World,
  operation: OperationRow,
  outcome: OperationOutcome,
): OutboxEvent[] {
  // it is no void or refund of the merchant's, and its payment has failed
  if (isLateCompensation(operation)) return []
  // the answer to an approval was lost, so there is no page to send the buyer to yet
  if (outcome.status === 'unknown' && operation.kind === 'approval') return []
  // without a challenge the buyer never left, and a synchronous create announces its final state alone
  // (semantics §15.4)
  if (operation.kind === 'authentication' && operation.status !== 'pending' && outcome.status === 'approved')
    return []
  const status = outcome.status === 'unknown' ? 'pending' : outcome.status
  if (status === 'pending' && operation.status === 'unknown' && operation.kind !== 'approval') {
    // a sale with an unknown outcome leaves its transaction `processing`: it becomes `capture_pending` only
    // now
    return outcome.status === 'pending' && operation.kind === 'sale'
      ? [outboxEvent(world, 'transaction.capture-pending')]
      : []
  }
  return (outboxNames[operation.kind]?.[status] ?? []).map((name) => outboxEvent(world, name))
}

/**
 * An event of the outbox. Names of events about a transaction begin with `transaction.`; all others are about
 * the operation.
 */
export const outboxEvent = (world: World, name: string): OutboxEvent => ({
  id: world.ids.next(),
  name,
  target: name.startsWith('transaction.') ? 'transaction' : 'operation',
})
