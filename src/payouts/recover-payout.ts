import type { Outcome } from '../connectors/contract/outcome.ts'
import type { SendResult } from '../operations/calls/call-result.ts'
import { lookUpOperation } from '../operations/calls/send-operation.ts'
import { postponeRecovery } from '../operations/journal/claim-operations.ts'
import { readPayoutOperation } from '../operations/journal/payout-journal.ts'
import { isOpen, type OperationRow } from '../operations/operation.ts'
import { nextLookupAt } from '../operations/operation-times.ts'
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
  if (!current || !isOpen(current.operation.status)) return current
  const { operation } = current
  const result = await lookUpPayout(world, current)
  if (result && result.outcome.status !== operation.status) return applyPayoutOutcome(world, current, result)
  const checkAt = nextLookupAt(world, operation, operation.status === 'pending' ? 'pending' : 'unknown', {
    since: operation.updated_at,
  })
  if (checkAt) await postponeRecovery(world, operation, checkAt)
  return current
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
