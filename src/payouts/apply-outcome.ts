import { timeOf } from '../base/clock.ts'
import type { SendResult } from '../operations/calls/call-result.ts'
import type { SendableOperation } from '../operations/calls/send-operation.ts'
import type { SupersededAnswer } from '../operations/idempotency.ts'
import { readPayoutOperation, recordPayoutOutcome } from '../operations/journal/payout-journal.ts'
import type { OperationOutcome, OperationRow } from '../operations/operation.ts'
import { nextLookupAt } from '../operations/operation-times.ts'
import type { World } from '../world.ts'
import { showPayout } from './payout.representation.ts'
import type { PayoutRow } from './payout.row.ts'
import type { PayoutStatus } from './payout.schema.ts'

/** A payout and its only operation. */
export interface PayoutWithOperation {
  payout: PayoutRow
  operation: OperationRow
}

/**
 * The status of a payout that follows from its operation's outcome. The merchant sees an unknown outcome as
 * pending.
 */
const payoutStatusOf: Record<OperationOutcome['status'], PayoutStatus> = {
  approved: 'succeeded',
  pending: 'pending',
  unknown: 'pending',
  declined: 'declined',
  failed: 'failed',
}

/** The operation as the payment service gets it, without the card, which only the request has. */
export const payoutServiceRequest = ({ operation }: PayoutWithOperation): SendableOperation => ({
  operation,
  paymentReference: null,
  identifiers: {},
  giftCards: null,
})

/**
 * Records an outcome on the operation and its payout, in one commit. If another process has recorded one
 * first, nothing is written, and the answer has the rows as that process left them.
 */
export async function applyPayoutOutcome(
  world: World,
  { payout, operation }: PayoutWithOperation,
  { outcome, exchanges }: SendResult,
): Promise<PayoutWithOperation & SupersededAnswer> {
  const status = payoutStatusOf[outcome.status]
  // one event says that the payout is pending, even if the unknown outcome becomes a pending one later
  const hasEvent = status !== 'pending' || operation.status === 'sent'
  const reference = 'references' in outcome ? outcome.references.operation : undefined
  const at = timeOf(world.clock)
  const after = {
    ...payout,
    status,
    payment_service_payout_id: reference ?? operation.payment_service_operation_id,
    updated_at: at,
  }
  const recorded = await recordPayoutOutcome<PayoutRow>(world, {
    operation,
    outcome,
    exchanges,
    at,
    checkAt: nextLookupAt(world, operation, outcome.status),
    payoutStatus: status,
    target: hasEvent ? showPayout(after) : null,
  })
  if (recorded) {
    const { payment_service_definition_id: definition } = payout.payment_service
    world.metrics.outcomeRecorded({ kind: 'payout', definition, outcome: outcome.status })
    return recorded
  }
  const current = await readPayoutOperation<PayoutRow>(world, operation.merchant_account_id, operation.id)
  if (!current) throw new Error(`payout ${payout.id} does not exist any more`)
  return { ...current, answered_before: true }
}
