import type { Outcome } from '../connectors/connector.ts'
import { lookUpOperation, type SendResult } from '../operations/calls/send-operation.ts'
import { postponeRecovery } from '../operations/journal/journal.ts'
import { readPayoutOperation } from '../operations/journal/payout-journal.ts'
import { isOpen, type OperationRow } from '../operations/operation.ts'
import type { World } from '../world.ts'
import { applyPayoutOutcome, nextPayoutCheckAt, type PayoutWithOperation, payoutServiceRequest } from './apply-outcome.ts'
import type { PayoutRow } from './payout.row.ts'

/**
 * Finds out what became of a payout and settles it (DESIGN §5, recovery). Its card is gone with the request, as an authorization's is: it is never sent again,
 * but closed at the payment service, and counts as failed only then (docs/decisions/002-close-before-giving-up.md). Answers what it is now, settled or not.
 */
export async function recoverPayout(world: World, { merchant_account_id: account, id }: OperationRow): Promise<PayoutWithOperation | undefined> {
  const step = await readPayoutOperation<PayoutRow>(world, account, id)
  if (!step || !isOpen(step.operation.status)) return step
  const { operation } = step
  const found = await lookUpPayout(world, step)
  if (found && found.outcome.status !== operation.status) return applyPayoutOutcome(world, step, found)
  const again = nextPayoutCheckAt(world, operation, operation.status === 'pending' ? 'pending' : 'unknown')
  if (again) await postponeRecovery(world, operation, again)
  return step
}

/** Undefined: not to be said yet. */
async function lookUpPayout(world: World, step: PayoutWithOperation): Promise<SendResult | undefined> {
  const isAccepted = step.operation.status === 'pending'
  const asked = { ...payoutServiceRequest(step), sentBefore: true }
  const { finding, exchanges } = await lookUpOperation(world, asked, isAccepted ? 'find' : 'close')
  if (finding === 'unsure') return undefined
  if (finding !== 'absent') return { outcome: finding.found, exchanges }
  // what the payment service has accepted cannot be absent: its books are behind
  return isAccepted ? undefined : { outcome: neverReceived, exchanges }
}

/** The payment service has never heard of it, and never will: no money moved. */
const neverReceived: Outcome = { status: 'failed', code: 'service_network_error', facts: {}, references: {} }
