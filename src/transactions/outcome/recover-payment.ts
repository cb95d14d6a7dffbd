import type { Outcome } from '../../connectors/connector.ts'
import { lookUpOperation, type SendResult, sendOperation } from '../../operations/calls/send-operation.ts'
import { claimForSending, postponeRecovery, readOperation, readOperations } from '../../operations/journal/journal.ts'
import { isBuyerStep, isOpen, isPaymentKind, type OperationRow, rejectedUnprocessed } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { takeSealedRequestState } from '../approval/challenge.ts'
import { executePayment } from '../execution/execute-payment.ts'
import { queueNext } from '../execution/intend-next.ts'
import { lookUpNextStep, situationOf } from '../execution/look-up-facts.ts'
import { paymentContext, sendableOperation } from '../execution/payment-context.ts'
import type { PaymentStep } from '../payment-step.ts'
import { applyDecidedReview } from '../review/review.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { nextLookupAt, recordPaymentOutcome } from './record-payment-outcome.ts'

/**
 * Finds out what became of an operation and settles it (docs/concepts/operations.md, recovery). What nobody has sent yet is sent by whoever takes it up first. What can be sent again is looked
 * for and, when surely absent, sent again under the same key. The authorization of a card cannot: its card is gone with the request, so it is closed at the payment service
 * first and counts as failed only then. Answers what it is now, settled or not.
 */
export async function recoverPayment(
  world: World,
  { merchant_account_id: account, id }: Pick<OperationRow, 'merchant_account_id' | 'id'>,
): Promise<PaymentStep | undefined> {
  const known = await readOperation<TransactionRow>(world, account, id)
  if (!known || !isOpen(known.operation.status)) return known
  const step = known.operation.status === 'queued' ? await claimQueued(world, known) : { ...known, isFirstAttempt: false }
  if (!step) return readOperation<TransactionRow>(world, account, id)
  const examined = await recoverOpenOperation(world, step)
  if (isCancellationRefused(examined)) await recoverPendingPayment(world, examined.transaction)
  if (!examined.transaction.pending_review) return examined
  // its review may have been decided meanwhile, and waited for this
  await applyDecidedReview(world, examined.transaction)
  return readOperation<TransactionRow>(world, account, id)
}

/** `isFirstAttempt`: nobody has sent it before. */
type OpenPaymentStep = PaymentStep & { isFirstAttempt: boolean }

/** From now on it is on its way. Undefined: somebody else has just taken it up. */
async function claimQueued(world: World, { transaction, operation: queued }: PaymentStep): Promise<OpenPaymentStep | undefined> {
  const operation = await claimForSending(world, queued, ['queued'])
  // a process of a version before this one sent what was queued as it was, once it had looked at it
  return operation && { transaction, operation, isFirstAttempt: queued.checks <= 1 }
}

async function recoverOpenOperation(world: World, step: OpenPaymentStep): Promise<PaymentStep> {
  const held = isAwaitingSealedInstrument(step) ? await takeSealedRequestState(world, step.transaction) : undefined
  if (held) return executePayment(world, step, held)
  const found = deferApprovalWhileCanceling(step, limitApproval(world, step, await findOutcome(world, step)))
  const old = step.operation.status
  if (!found || (old === 'pending' && found.outcome.status === 'pending') || (old === 'unknown' && found.outcome.status === 'unknown')) {
    const again = nextLookupAt(world, step.transaction, step.operation, old === 'pending' ? 'pending' : 'unknown')
    if (again) await postponeRecovery(world, step.operation, again)
    return step
  }
  // the buyer may be on their way back: the money step is made now, not when recovery comes by
  if (isBuyerStep(step.operation) && found.outcome.status === 'approved') return executePayment(world, step, {}, found)
  // recovery has no card and no state of the request: the same decision, without retries
  const { next } = await lookUpNextStep(world, situationOf(world, step, found, undefined, {}))
  return recordPaymentOutcome(world, step, { ...found, next, intended: queueNext(world, step, next) })
}

/** The money step after a challenge. As long as nobody has taken the card that was held for it, it has not been sent. */
const isAwaitingSealedInstrument = ({ transaction: { approval }, operation: { kind, status } }: PaymentStep): boolean =>
  approval?.asks === 'issuer' && isPaymentKind(kind) && status === 'sent'

const isPendingPayment = ({ kind, status }: OperationRow): boolean => isPaymentKind(kind) && status === 'pending'

/**
 * The cancellation of a pending payment is on its way. It decides before an approval does: the payment service may approve the payment now and cancel it a moment later, and the
 * payment would count as authorized when its money is released.
 */
function deferApprovalWhileCanceling(
  { transaction: { active_operation_id: active }, operation }: PaymentStep,
  found: SendResult | undefined,
): SendResult | undefined {
  const isBeingCanceled = isPendingPayment(operation) && active !== null && active !== operation.id
  return isBeingCanceled && found?.outcome.status === 'approved' ? undefined : found
}

const isCancellationRefused = ({ operation: { kind, status } }: PaymentStep): boolean =>
  kind === 'cancel' && (status === 'failed' || status === 'declined')

/** The payment that could not be cancelled any more: an approval of it waited for that (`deferApprovalWhileCanceling`). */
async function recoverPendingPayment(world: World, { merchant_account_id: account, id }: TransactionRow): Promise<void> {
  for (const operation of await readOperations(world, account, id)) if (isPendingPayment(operation)) await recoverPayment(world, operation)
}

/** What the payment service says, or does now. Undefined: not to be said yet. */
async function findOutcome(world: World, { transaction, operation, isFirstAttempt }: OpenPaymentStep): Promise<SendResult | undefined> {
  const step = { transaction, operation }
  const payment = await paymentContext(world, transaction, operation)
  const asked = { ...sendableOperation(step, payment), sentBefore: true }
  // what renews an authorization names the earlier one
  const needsCard = payment !== undefined && !payment.order && payment.instrument.earlierPayment === undefined
  if (isFirstAttempt && !needsCard) return unlessRejectedUnprocessed(await sendOperation(world, asked))
  const accepted = operation.status === 'pending'
  const { finding, exchanges, findings } = await lookUpOperation(world, asked, needsCard && !accepted ? 'close' : 'find')
  // what the payment service has accepted cannot be absent: its books are behind
  if (finding.status === 'unsure' || (finding.status === 'absent' && accepted)) return undefined
  if (finding.status === 'found') return { outcome: finding.outcome, exchanges, ...(findings && { findings }) }
  if (needsCard) return { outcome: neverArrived, exchanges }
  if (!(await claimForSending(world, operation))) return undefined
  const performed = unlessRejectedUnprocessed(await sendOperation(world, asked))
  return performed && { ...performed, exchanges: [...exchanges, ...performed.exchanges] }
}

/** Nobody waits who could ask again, and an earlier request may still be on its way: being turned away decides nothing here. */
const unlessRejectedUnprocessed = (performed: SendResult): SendResult | undefined => (rejectedUnprocessed(performed.outcome) ? undefined : performed)

/**
 * What an approval comes to by itself. Where the merchant's page has the buyer, the merchant says when to go on (API §4.11, completion); and
 * when its time is over, no approval is waited for.
 */
function limitApproval(world: World, { transaction, operation }: PaymentStep, found: SendResult | undefined): SendResult | undefined {
  if (!isBuyerStep(operation)) return found
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
