/**
 * Finds out what became of an operation without a final outcome. Before: `operations/recovery.ts` has
 * claimed it, or a sync or a notification asks (`sync-transaction.ts`, `notification.routes.ts`). It looks
 * the operation up or sends it (`operations/calls/send-operation.ts`), and decides as a request does
 * (`execution/decide-next.ts`). After: `record-payment-outcome.ts`, or another look-up later
 * (`operations/operation-times.ts`).
 */

import type { Outcome } from '../../connectors/contract/outcome.ts'
import type { SendResult } from '../../operations/calls/call-result.ts'
import { lookUpOperation, sendOperation } from '../../operations/calls/send-operation.ts'
import { claimForSending, postponeRecovery } from '../../operations/journal/claim-operations.ts'
import { readOperation, readOperations } from '../../operations/journal/read-operations.ts'
import {
  isBuyerStep,
  isOpen,
  isPaymentKind,
  type OperationRow,
  rejectedUnprocessed,
} from '../../operations/operation.ts'
import { nextLookupAt } from '../../operations/operation-times.ts'
import type { World } from '../../world.ts'
import { takeSealedRequestState } from '../approval/challenge.ts'
import { executePayment } from '../execution/execute-payment.ts'
import { queueNext } from '../execution/intend-next.ts'
import { lookUpNextStep, situationOf } from '../execution/look-up-facts.ts'
import { paymentContext, sendableOperation } from '../execution/payment-context.ts'
import { applyDecidedReview } from '../review/review.ts'
import type { PaymentStep, TransactionRow } from '../transaction.row.ts'
import { isLateLookupDue, recoverLateOutcome } from './late-outcome.ts'
import { recordPaymentOutcome } from './record-payment-outcome.ts'

/**
 * Finds out the outcome of an operation and records it (docs/concepts/unknown-outcomes.md). A queued
 * operation is sent by the process that claims it first. An operation that can be sent again is looked up
 * and, if it is surely absent, sent again under the same key. The authorization of a card cannot be sent
 * again, since only its request had the card: it is closed at the payment service first, and counts as failed
 * only then. Answers the rows as they are afterwards.
 */
export async function recoverPayment(
  world: World,
  { merchant_account_id: account, id }: Pick<OperationRow, 'merchant_account_id' | 'id'>,
): Promise<PaymentStep | undefined> {
  const current = await readOperation<TransactionRow>(world, account, id)
  if (!current) return undefined
  if (!isOpen(current.operation.status)) {
    if (!isLateLookupDue(current.operation)) return current
    await recoverLateOutcome(world, current)
    return readOperation<TransactionRow>(world, account, id)
  }
  const step =
    current.operation.status === 'queued'
      ? await claimQueued(world, current)
      : { ...current, isFirstAttempt: false }
  if (!step) return readOperation<TransactionRow>(world, account, id)
  const recovered = await recoverOpenOperation(world, step)
  if (isCancellationRefused(recovered)) await recoverPendingPayment(world, recovered.transaction)
  if (!recovered.transaction.pending_review) return recovered
  // a decided review waits for the operation that is under way
  await applyDecidedReview(world, recovered.transaction)
  return readOperation<TransactionRow>(world, account, id)
}

/** `isFirstAttempt`: no process has sent it before. */
type OpenPaymentStep = PaymentStep & { isFirstAttempt: boolean }

/** Undefined: another process has claimed it. */
async function claimQueued(
  world: World,
  { transaction, operation: queued }: PaymentStep,
): Promise<OpenPaymentStep | undefined> {
  const operation = await claimForSending(world, queued, ['queued'])
  // a process of an earlier version sent a queued operation without claiming it, after it had looked at it
  // once
  return operation && { transaction, operation, isFirstAttempt: queued.checks <= 1 }
}

async function recoverOpenOperation(world: World, step: OpenPaymentStep): Promise<PaymentStep> {
  const sealed = isAwaitingSealedInstrument(step)
    ? await takeSealedRequestState(world, step.transaction)
    : undefined
  if (sealed) return executePayment(world, step, sealed)
  const found = deferApprovalWhileCanceling(step, limitApproval(world, step, await findOutcome(world, step)))
  const old = step.operation.status
  if (
    !found ||
    (old === 'pending' && found.outcome.status === 'pending') ||
    (old === 'unknown' && found.outcome.status === 'unknown')
  ) {
    const checkAt = nextLookupAt(world, step.operation, old === 'pending' ? 'pending' : 'unknown', {
      since: step.operation.updated_at,
      approvalExpiresAt: awaitsBuyer(step) ? step.transaction.approval_expires_at : null,
    })
    if (checkAt) await postponeRecovery(world, step.operation, checkAt)
    return step
  }
  // the buyer may be on the way back: the money step is sent now, and not in recovery's next round
  if (isBuyerStep(step.operation) && found.outcome.status === 'approved')
    return executePayment(world, step, {}, found)
  // recovery has no card and no state of the request: the same decision, without retries
  const { next } = await lookUpNextStep(world, situationOf(world, step, found, undefined, {}))
  return recordPaymentOutcome(world, step, { ...found, next, intended: queueNext(world, step, next) })
}

/** The money step after a challenge: it has not been sent as long as its card is sealed. */
const isAwaitingSealedInstrument = ({
  transaction: { approval },
  operation: { kind, status },
}: PaymentStep): boolean => approval?.asks === 'issuer' && isPaymentKind(kind) && status === 'sent'

/** The operation waits for the buyer, at the provider or at the card's issuer. */
const awaitsBuyer = (step: PaymentStep): boolean => isBuyerStep(step.operation) || isPaymentWithBuyer(step)

/** The payment itself waits for its buyer. */
const isPaymentWithBuyer = ({ transaction: { status }, operation }: PaymentStep): boolean =>
  isPendingPayment(operation) && status === 'buyer_approval_pending'

const isPendingPayment = ({ kind, status }: OperationRow): boolean =>
  isPaymentKind(kind) && status === 'pending'

/**
 * The cancellation of a pending payment is on its way. It decides before an approval does: the payment
 * service may approve the payment now and cancel it a moment later, and the payment would count as authorized
 * when its money is released.
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

/**
 * The payment that could not be cancelled any more: an approval of it waited for that
 * (`deferApprovalWhileCanceling`).
 */
async function recoverPendingPayment(
  world: World,
  { merchant_account_id: account, id }: TransactionRow,
): Promise<void> {
  for (const operation of await readOperations(world, account, id))
    if (isPendingPayment(operation)) await recoverPayment(world, operation)
}

/**
 * The outcome by the payment service's books, or by sending the operation now. Undefined: it cannot be found
 * out yet.
 */
async function findOutcome(
  world: World,
  { transaction, operation, isFirstAttempt }: OpenPaymentStep,
): Promise<SendResult | undefined> {
  const step = { transaction, operation }
  const payment = await paymentContext(world, transaction, operation)
  const sendable = { ...sendableOperation(step, payment), sentBefore: true }
  // a renewed authorization names the earlier payment, and needs no card
  const needsCard = payment !== undefined && !payment.order && payment.instrument.earlierPayment === undefined
  if (isFirstAttempt && !needsCard) return unlessRejectedUnprocessed(await sendOperation(world, sendable))
  const accepted = operation.status === 'pending'
  const timedOut = isPaymentTimedOut(world, step)
  const { finding, exchanges, findings } = await lookUpOperation(
    world,
    sendable,
    (needsCard && !accepted) || timedOut ? 'close' : 'find',
  )
  if (finding.status === 'absent' && timedOut) return { outcome: neverApproved, exchanges }
  // an operation that the payment service has accepted cannot be absent: its books are behind
  if (finding.status === 'unsure' || (finding.status === 'absent' && accepted)) return undefined
  if (finding.status === 'found')
    return { outcome: finding.outcome, exchanges, ...(findings && { findings }) }
  if (needsCard) return { outcome: neverReceived, exchanges }
  if (!(await claimForSending(world, operation))) return undefined
  const result = unlessRejectedUnprocessed(await sendOperation(world, sendable))
  return result && { ...result, exchanges: [...exchanges, ...result.exchanges] }
}

/**
 * The buyer had to come back from the provider by now. The payment is closed there before it fails: the buyer
 * may pay at the last moment.
 */
const isPaymentTimedOut = ({ clock }: Pick<World, 'clock'>, step: PaymentStep): boolean => {
  const { approval_expires_at: expiry } = step.transaction
  return isPaymentWithBuyer(step) && expiry !== null && Date.parse(expiry) <= clock.now()
}

/**
 * A request that was rejected unprocessed decides nothing in recovery: no client waits to send it again, and
 * an earlier request may still arrive.
 */
const unlessRejectedUnprocessed = (result: SendResult): SendResult | undefined =>
  rejectedUnprocessed(result.outcome) ? undefined : result

/**
 * Limits what recovery does with a buyer's approval. Where the buyer is on the merchant's page, the merchant
 * completes the payment (API §4.11); an approval whose time is over fails.
 */
function limitApproval(
  world: World,
  { transaction, operation }: PaymentStep,
  found: SendResult | undefined,
): SendResult | undefined {
  if (!isBuyerStep(operation)) return found
  const { approval, approval_expires_at: expiry } = transaction
  const isContinued = found?.outcome.status === 'approved' && approval?.integration_client === 'redirect'
  const isRefused = found && 'code' in found.outcome
  if (isContinued || isRefused) return found
  const expired = expiry !== null && Date.parse(expiry) <= world.clock.now()
  // no money moves before an approval is completed, so that an approval that cannot be looked up may fail
  if (expired && (found || operation.status !== 'pending' || operation.kind === 'authentication'))
    return { outcome: neverApproved, exchanges: found?.exchanges ?? [] }
  return found?.outcome.status === 'approved' ? undefined : found
}

const neverApproved: Outcome = {
  status: 'failed',
  code: 'incomplete_buyer_approval',
  facts: {},
  references: {},
}

/** The payment service has not received it, and has closed it: no money moved. */
const neverReceived: Outcome = { status: 'failed', code: 'service_network_error', facts: {}, references: {} }
