import type { Performable, Performed } from '../operations/call.ts'
import type { Superseded } from '../operations/idempotency.ts'
import type { OperationOutcome, OperationRow } from '../operations/operation.ts'
import { readPayoutOperation, settlePayout } from '../operations/payout-journal.ts'
import { checkAgainAt } from '../transactions/outcome.ts'
import { timeOf, type World } from '../world.ts'
import { showPayout } from './payout.representation.ts'
import type { PayoutRow } from './payout.row.ts'
import type { PayoutStatus } from './payout.schema.ts'

/** A payout and the operation that makes it. */
export interface PayoutStep {
  payout: PayoutRow
  operation: OperationRow
}

/** To the merchant an unknown outcome is a pending one. */
const statusOf: Record<OperationOutcome['status'], PayoutStatus> = {
  approved: 'succeeded',
  pending: 'pending',
  unknown: 'pending',
  declined: 'declined',
  failed: 'failed',
}

/** The operation as it is sent, without what only a request knows. */
export const performablePayout = ({ operation }: PayoutStep): Performable => ({
  operation,
  paymentReference: null,
  identifiers: {},
  giftCards: null,
})

/** When recovery looks again. */
export const checkPayoutAt = (world: World, operation: OperationRow, status: OperationOutcome['status']): string | null =>
  checkAgainAt(world, { approval_expires_at: null }, operation, status)

/** Settles the operation and its payout with an outcome, in one commit. Where another settler was faster nothing is written, and the rows are as that one left them. */
export async function concludePayout(
  world: World,
  { payout, operation }: PayoutStep,
  { outcome, exchanges }: Performed,
): Promise<PayoutStep & Superseded> {
  const status = statusOf[outcome.status]
  // what is pending is told once, whether or not the payment service has said so
  const isNews = status !== 'pending' || operation.status === 'sent'
  const reference = 'references' in outcome ? outcome.references.operation : undefined
  const at = timeOf(world.clock)
  const after = { ...payout, status, payment_service_payout_id: reference ?? operation.payment_service_operation_id, updated_at: at }
  const settled = await settlePayout<PayoutRow>(world, {
    operation,
    outcome,
    exchanges,
    at,
    checkAt: checkPayoutAt(world, operation, outcome.status),
    payoutStatus: status,
    target: isNews ? showPayout(after) : null,
  })
  if (settled) {
    const { payment_service_definition_id: definition } = payout.payment_service
    world.metrics.operationSettled({ kind: 'payout', definition, outcome: outcome.status })
    return settled
  }
  const current = await readPayoutOperation<PayoutRow>(world, operation.merchant_account_id, operation.id)
  if (!current) throw new Error(`payout ${payout.id} has vanished`)
  return { ...current, answered_before: true }
}
