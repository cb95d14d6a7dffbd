import type { Outcome } from '../connectors/contract/outcome.ts'
import type { SendResult } from '../operations/calls/call-result.ts'
import { lookUpDecidedOperation, lookUpOperation } from '../operations/calls/send-operation.ts'
import { postponeRecovery } from '../operations/journal/claim-operations.ts'
import { scheduleLateLookup } from '../operations/journal/late-notice.ts'
import { readPayoutOperation } from '../operations/journal/payout-journal.ts'
import { isOpen, type OperationRow, operationLogFields } from '../operations/operation.ts'
import { nextLookupAt } from '../operations/operation-times.ts'
import { isLateLookupDue, lookAgainLater } from '../transactions/outcome/late-outcome.ts'
import type { World } from '../world.ts'
import { applyPayoutOutcome, type PayoutWithOperation, payoutServiceRequest } from './apply-outcome.ts'
import type { PayoutRow } from './payout.row.ts'

/**
 * Recovery of a payout: finds out its outcome and records it. The payout is never sent again, since only the
 * request had the card. It is closed at the payment service, and counts as failed only after that
 * (docs/decisions/002-close-lost-authorizations.md). Answers the rows as they are now.
 */
export async function recoverPayout(
  world: World,
  { merchant_account_id: account, id }: OperationRow,
): Promise<PayoutWithOperation | undefined> {
  const current = await readPayoutOperation<PayoutRow>(world, account, id)
  if (!current) return undefined
  const { operation } = current
  if (!isOpen(operation.status)) {
    if (isLateLookupDue(operation)) await recoverLatePayout(world, current)
    return current
  }
  const result = await lookUpPayout(world, current)
  if (result && result.outcome.status !== operation.status) return applyPayoutOutcome(world, current, result)
  const checkAt = nextLookupAt(world, operation, operation.status === 'pending' ? 'pending' : 'unknown', {
    since: operation.updated_at,
  })
  if (checkAt) await postponeRecovery(world, operation, checkAt)
  return current
}

/**
 * Looks once more at a payout that had failed, because a notification says that it was paid. If the payment
 * service's books say so, too, a person has to settle it with the merchant: unlike a payment, it cannot be
 * undone, and its outcome is sealed.
 */
async function recoverLatePayout(world: World, current: PayoutWithOperation): Promise<void> {
  const { operation } = current
  const { finding } = await lookUpDecidedOperation(world, payoutServiceRequest(current))
  const found = finding.status === 'found' ? finding.outcome.status : finding.status
  // the books are behind the notification
  if (found === 'absent' || found === 'unsure' || found === 'pending' || found === 'unknown')
    return lookAgainLater(world, operation, 'unsure')
  if (found === 'approved') {
    world.metrics.lateOutcome('paid_out')
    world.log.error(operationLogFields(operation), 'a payout that had failed was paid all the same')
  }
  await scheduleLateLookup(world, operation, null)
}

/** Undefined: the outcome cannot be found out yet. */
async function lookUpPayout(world: World, current: PayoutWithOperation): Promise<SendResult | undefined> {
  const isAccepted = current.operation.status === 'pending'
  const sent = { ...payoutServiceRequest(current), sentBefore: true }
  const { finding, exchanges } = await lookUpOperation(world, sent, isAccepted ? 'find' : 'close')
  if (finding.status === 'unsure') return undefined
  if (finding.status === 'found') return { outcome: finding.outcome, exchanges }
  // a payout that the payment service has accepted cannot be absent: its books are behind
  return isAccepted ? undefined : { outcome: neverReceived, exchanges }
}

/** The payment service has not received the payout, and refuses it from now on: no money moved. */
const neverReceived: Outcome = { status: 'failed', code: 'service_network_error', facts: {}, references: {} }
