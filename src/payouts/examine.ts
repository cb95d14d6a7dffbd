import type { Outcome } from '../connectors/connector.ts'
import { lookUp, type Performed } from '../operations/call.ts'
import { postpone } from '../operations/journal.ts'
import { isOpen, type OperationRow } from '../operations/operation.ts'
import { readPayoutOperation } from '../operations/payout-journal.ts'
import type { World } from '../world.ts'
import { checkPayoutAt, concludePayout, type PayoutStep, performablePayout } from './conclude.ts'
import type { PayoutRow } from './payout.row.ts'

/**
 * Finds out what became of a payout and settles it (DESIGN §5, recovery). Its card is gone with the request, as an authorization's is: it is never sent again,
 * but closed at the payment service, and counts as failed only then (docs/decisions/002-close-before-giving-up.md). Answers what it is now, settled or not.
 */
export async function examinePayout(world: World, { merchant_account_id: account, id }: OperationRow): Promise<PayoutStep | undefined> {
  const step = await readPayoutOperation<PayoutRow>(world, account, id)
  if (!step || !isOpen(step.operation.status)) return step
  const { operation } = step
  const found = await findOut(world, step)
  if (found && found.outcome.status !== operation.status) return concludePayout(world, step, found)
  const again = checkPayoutAt(world, operation, operation.status === 'pending' ? 'pending' : 'unknown')
  if (again) await postpone(world, operation, again)
  return step
}

/** Undefined: not to be said yet. */
async function findOut(world: World, step: PayoutStep): Promise<Performed | undefined> {
  const isAccepted = step.operation.status === 'pending'
  const asked = { ...performablePayout(step), sentBefore: true }
  const { finding, exchanges } = await lookUp(world, asked, isAccepted ? 'find' : 'close')
  if (finding === 'unsure') return undefined
  if (finding !== 'absent') return { outcome: finding.found, exchanges }
  // what the payment service has accepted cannot be absent: its books are behind
  return isAccepted ? undefined : { outcome: neverArrived, exchanges }
}

/** The payment service has never heard of it, and never will: no money moved. */
const neverArrived: Outcome = { status: 'failed', code: 'service_network_error', facts: {}, references: {} }
