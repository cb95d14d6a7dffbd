import type { Outcome } from '../connectors/connector.ts'
import { lookUp, type Performed, perform } from '../operations/call.ts'
import { postpone, readOperation, readOperations, takeUp } from '../operations/journal.ts'
import { asksBuyer, isOpen, isPaymentKind, type OperationRow, wasTurnedAway } from '../operations/operation.ts'
import type { World } from '../world.ts'
import { afterFindings, carryOut, paymentContext, performable } from './carry-out.ts'
import { takeHeld } from './challenge.ts'
import { following } from './following.ts'
import { checkAgainAt, conclude, type Step } from './outcome.ts'
import { followDecided } from './review.ts'
import type { TransactionRow } from './transaction.row.ts'

/**
 * Finds out what became of an operation and settles it (DESIGN §5, recovery). What nobody has sent yet is sent by whoever takes it up first. What can be sent again is looked
 * for and, when surely absent, sent again under the same key. The authorization of a card cannot: its card is gone with the request, so it is closed at the payment service
 * first and counts as failed only then. Answers what it is now, settled or not.
 */
export async function examine(
  world: World,
  { merchant_account_id: account, id }: Pick<OperationRow, 'merchant_account_id' | 'id'>,
): Promise<Step | undefined> {
  const known = await readOperation<TransactionRow>(world, account, id)
  if (!known || !isOpen(known.operation.status)) return known
  const step = known.operation.status === 'queued' ? await begun(world, known) : { ...known, isFirst: false }
  if (!step) return readOperation<TransactionRow>(world, account, id)
  const examined = await settleOpen(world, step)
  if (isRefusedCancellation(examined)) await examinePayment(world, examined.transaction)
  if (!examined.transaction.pending_review) return examined
  // its review may have been decided meanwhile, and waited for this
  await followDecided(world, examined.transaction)
  return readOperation<TransactionRow>(world, account, id)
}

/** `isFirst`: nobody has sent it before. */
type OpenStep = Step & { isFirst: boolean }

/** From now on it is on its way. Undefined: somebody else has just taken it up. */
async function begun(world: World, { transaction, operation: queued }: Step): Promise<OpenStep | undefined> {
  const operation = await takeUp(world, queued, ['queued'])
  // a process of a version before this one sent what was queued as it was, once it had looked at it
  return operation && { transaction, operation, isFirst: queued.checks <= 1 }
}

async function settleOpen(world: World, step: OpenStep): Promise<Step> {
  const held = isHeldFor(step) ? await takeHeld(world, step.transaction) : undefined
  if (held) return carryOut(world, step, held)
  const found = canceledFirst(step, awaited(world, step, await findOut(world, step)))
  const old = step.operation.status
  if (!found || (old === 'pending' && found.outcome.status === 'pending') || (old === 'unknown' && found.outcome.status === 'unknown')) {
    const again = checkAgainAt(world, step.transaction, step.operation, old === 'pending' ? 'pending' : 'unknown')
    if (again) await postpone(world, step.operation, again)
    return step
  }
  // the buyer may be on their way back: the money step is made now, not when recovery comes by
  if (asksBuyer(step.operation) && found.outcome.status === 'approved') return carryOut(world, step, {}, found)
  const next = following(world, afterFindings(step.transaction, found.findings), step.operation, found.outcome)
  // nobody is waiting to send what follows: recovery takes it up at once
  const due = next && { ...next, operation: { ...next.operation, check_at: next.operation.created_at, status: 'queued' as const } }
  return conclude(world, step, { ...found, next: due })
}

/** The money step after a challenge. As long as nobody has taken the card that was held for it, it has not been sent. */
const isHeldFor = ({ transaction: { approval }, operation: { kind, status } }: Step): boolean =>
  approval?.asks === 'issuer' && isPaymentKind(kind) && status === 'sent'

const isPendingPayment = ({ kind, status }: OperationRow): boolean => isPaymentKind(kind) && status === 'pending'

/**
 * The cancellation of a pending payment is on its way. It decides before an approval does: the payment service may approve the payment now and cancel it a moment later, and the
 * payment would count as authorized when its money is released.
 */
function canceledFirst({ transaction: { active_operation_id: active }, operation }: Step, found: Performed | undefined): Performed | undefined {
  const isBeingCanceled = isPendingPayment(operation) && active !== null && active !== operation.id
  return isBeingCanceled && found?.outcome.status === 'approved' ? undefined : found
}

const isRefusedCancellation = ({ operation: { kind, status } }: Step): boolean => kind === 'cancel' && (status === 'failed' || status === 'declined')

/** The payment that could not be cancelled any more: an approval of it waited for that (`canceledFirst`). */
async function examinePayment(world: World, { merchant_account_id: account, id }: TransactionRow): Promise<void> {
  for (const operation of await readOperations(world, account, id)) if (isPendingPayment(operation)) await examine(world, operation)
}

/** What the payment service says, or does now. Undefined: not to be said yet. */
async function findOut(world: World, { transaction, operation, isFirst }: OpenStep): Promise<Performed | undefined> {
  const step = { transaction, operation }
  const payment = await paymentContext(world, transaction, operation)
  const asked = { ...performable(step, payment), sentBefore: true }
  // what renews an authorization names the earlier one
  const needsCard = payment !== undefined && !payment.order && payment.instrument.earlierPayment === undefined
  if (isFirst && !needsCard) return decided(await perform(world, asked))
  const accepted = operation.status === 'pending'
  const { finding, exchanges, findings } = await lookUp(world, asked, needsCard && !accepted ? 'close' : 'find')
  // what the payment service has accepted cannot be absent: its books are behind
  if (finding === 'unsure' || (finding === 'absent' && accepted)) return undefined
  if (finding !== 'absent') return { outcome: finding.found, exchanges, ...(findings && { findings }) }
  if (needsCard) return { outcome: neverArrived, exchanges }
  if (!(await takeUp(world, operation))) return undefined
  const performed = decided(await perform(world, asked))
  return performed && { ...performed, exchanges: [...exchanges, ...performed.exchanges] }
}

/** Nobody waits who could ask again, and an earlier request may still be on its way: being turned away decides nothing here. */
const decided = (performed: Performed): Performed | undefined => (wasTurnedAway(performed.outcome) ? undefined : performed)

/**
 * What an approval comes to by itself. Where the merchant's page has the buyer, the merchant says when to go on (SPEC §4.11, completion); and
 * when its time is over, no approval is waited for.
 */
function awaited(world: World, { transaction, operation }: Step, found: Performed | undefined): Performed | undefined {
  if (!asksBuyer(operation)) return found
  const { approval, approval_expires_at: expiry } = transaction
  const goesOn = found?.outcome.status === 'approved' && approval?.integration_client === 'redirect'
  const refused = found && 'code' in found.outcome
  if (goesOn || refused) return found
  const expired = expiry !== null && Date.parse(expiry) <= world.clock.now()
  // no money moves before an approval is completed: what cannot be found out does not matter any more
  if (expired && (found || operation.status !== 'pending' || operation.kind === 'authentication'))
    return { outcome: neverApproved, exchanges: found?.exchanges ?? [] }
  return found?.outcome.status === 'approved' ? undefined : found
}

const neverApproved: Outcome = { status: 'failed', code: 'incomplete_buyer_approval', facts: {}, references: {} }

/** The payment service has never heard of it, and never will: no money moved. */
const neverArrived: Outcome = { status: 'failed', code: 'service_network_error', facts: {}, references: {} }
