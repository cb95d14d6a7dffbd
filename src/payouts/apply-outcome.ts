import { timeOf } from '../base/clock.ts'
import type { SendableOperation, SendResult } from '../operations/calls/send-operation.ts'
import type { SupersededAnswer } from '../operations/idempotency.ts'
import { readPayoutOperation, recordPayoutOutcome } from '../operations/journal/payout-journal.ts'
import type { OperationOutcome, OperationRow } from '../operations/operation.ts'
import { nextLookupAt } from '../transactions/outcome/record-payment-outcome.ts'
import type { World } from '../world.ts'
import { showPayout } from './payout.representation.ts'
import type { PayoutRow } from './payout.row.ts'
import type { PayoutStatus } from './payout.schema.ts'

/** A payout and the operation that makes it. */
export interface PayoutWithOperation {
  payout: PayoutRow
  operation: OperationRow
}

/** To the merchant an unknown outcome is a pending one. */
const payoutStatusOf: Record<OperationOutcome['status'], PayoutStatus> = {
  approved: 'succeeded',
  pending: 'pending',
  unknown: 'pending',
  declined: 'declined',
  failed: 'failed',
}

/** The operation as it is sent, without what only a request knows. */
export const payoutServiceRequest = ({ operation }: PayoutWithOperation): SendableOperation => ({
  operation,
  paymentReference: null,
  identifiers: {},
  giftCards: null,
})

/** When recovery looks again. */
export const nextPayoutCheckAt = (world: World, operation: OperationRow, status: OperationOutcome['status']): string | null =>
  nextLookupAt(world, { approval_expires_at: null }, operation, status)

/** Settles the operation and its payout with an outcome, in one commit. Where another settler was faster nothing is written, and the rows are as that one left them. */
export async function applyPayoutOutcome(
  world: World,
  { payout, operation }: PayoutWithOperation,
  { outcome, exchanges }: SendResult,
): Promise<PayoutWithOperation & SupersededAnswer> {
  const status = payoutStatusOf[outcome.status]
  // what is pending is told once, whether or not the payment service has said so
  const isNews = status !== 'pending' || operation.status === 'sent'
  const reference = 'references' in outcome ? outcome.references.operation : undefined
  const at = timeOf(world.clock)
  const after = { ...payout, status, payment_service_payout_id: reference ?? operation.payment_service_operation_id, updated_at: at }
  const settled = await recordPayoutOutcome<PayoutRow>(world, {
    operation,
    outcome,
    exchanges,
    at,
    checkAt: nextPayoutCheckAt(world, operation, outcome.status),
    payoutStatus: status,
    target: isNews ? showPayout(after) : null,
  })
  if (settled) {
    const { payment_service_definition_id: definition } = payout.payment_service
    world.metrics.outcomeRecorded({ kind: 'payout', definition, outcome: outcome.status })
    return settled
  }
  const current = await readPayoutOperation<PayoutRow>(world, operation.merchant_account_id, operation.id)
  if (!current) throw new Error(`payout ${payout.id} has vanished`)
  return { ...current, answered_before: true }
}
