import { setTimeout as wait } from 'node:timers/promises'
import { gatewayTimeout, invalidQuery, notApprovedYet } from '../../api/errors.ts'
import { isEqualInConstantTime } from '../../base/cipher.ts'
import type { Outcome } from '../../connectors/contract/outcome.ts'
import type { SendResult } from '../../operations/calls/call-result.ts'
import { completeAtProvider, lookUpOperation } from '../../operations/calls/send-operation.ts'
import { readOperation, readOperations } from '../../operations/journal/read-operations.ts'
import { isBuyerStep, isOpen, isPaymentKind, type OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { executePayment } from '../execution/execute-payment.ts'
import { paymentContext, sendableOperation } from '../execution/payment-context.ts'
import { recordPaymentOutcome } from '../outcome/record-payment-outcome.ts'
import type { PaymentStep, TransactionRow } from '../transaction.row.ts'
import { readTransaction } from '../transaction.store.ts'

/**
 * Continues a payment after its buyer's approval (completion, API §4.11): asks the payment service whether
 * the buyer has approved, and executes the money step. It does so once for a payment; a later or concurrent
 * call gets the result. `token` is the approval token of the buyer's page; undefined: the caller is not a
 * merchant's completion, and needs none. `returned`: what the buyer's browser came back with. Throws 425 while the buyer has not approved, 400 for a wrong token,
 * 504 if the payment service does not answer.
 */
export async function completeApproval(
  world: World,
  account: string,
  id: string,
  token?: { value: string | null },
  returned?: ReturnedParameters,
): Promise<TransactionRow> {
  const step = await findOpenApproval(world, account, id)
  if (!step) return waitUntilDecided(world, account, id)
  const found = await findApprovalOutcome(world, step, returned)
  if (found.outcome.status === 'pending') throw notApprovedYet()
  if (found.outcome.status === 'approved') checkToken(found.outcome, token)
  const recorded = await executePayment(world, step, {}, found)
  return recorded.applied ? recorded.transaction : waitUntilDecided(world, account, id)
}

/**
 * Ends an approval because the buyer gave up, or because a review rejected the payment (`outcome`). No money
 * has moved, and none will: Railyard never completes an approval that the buyer gives later.
 */
export async function abandonApproval(
  world: World,
  account: string,
  id: string,
  outcome: Outcome = canceledByBuyer,
): Promise<TransactionRow> {
  const step = await findOpenApproval(world, account, id)
  if (step && isPaymentKind(step.operation.kind)) await abandonPayment(world, step, outcome)
  else if (step) await recordPaymentOutcome(world, step, { outcome, exchanges: [] })
  return waitUntilDecided(world, account, id)
}

/**
 * Ends a payment whose buyer is at the provider. It is closed there first, since the buyer may have paid. If
 * the provider does not answer, or cannot close it, recovery goes on.
 */
async function abandonPayment(world: World, step: PaymentStep, outcome: Outcome): Promise<void> {
  const payment = await paymentContext(world, step.transaction, step.operation)
  const { finding, exchanges } = await lookUpOperation(world, sendableOperation(step, payment), 'close')
  if (finding.status === 'absent') await recordPaymentOutcome(world, step, { outcome, exchanges })
  if (finding.status === 'found' && finding.outcome.status !== 'pending')
    await executePayment(world, step, {}, { outcome: finding.outcome, exchanges })
}

const canceledByBuyer: Outcome = {
  status: 'failed',
  code: 'cancelled_buyer_approval',
  facts: {},
  references: {},
}

/** The approval or challenge that the transaction waits for; undefined: none. */
async function findOpenApproval(world: World, account: string, id: string): Promise<PaymentStep | undefined> {
  const transaction = await readTransaction(world, account, id)
  if (transaction.status !== 'buyer_approval_pending' || transaction.active_operation_id) return undefined
  const isWaiting = (operation: OperationRow) =>
    (isBuyerStep(operation) && isOpen(operation.status)) ||
    (isPaymentKind(operation.kind) && operation.status === 'pending')
  const operation = (await readOperations(world, account, id)).findLast(isWaiting)
  return operation && { transaction, operation }
}

/** What a buyer's browser came back with from the payment service's page. */
export type ReturnedParameters = Readonly<Record<string, unknown>>

/** The payment service's state of the approval. Throws 504 if it does not answer. */
async function findApprovalOutcome(
  world: World,
  step: PaymentStep,
  returned: ReturnedParameters | undefined,
): Promise<SendResult> {
  const payment = await paymentContext(world, step.transaction, step.operation)
  const completed =
    returned && isPaymentKind(step.operation.kind)
      ? await completeAtProvider(world, sendableOperation(step, payment), returned)
      : undefined
  // an answer that was lost leaves the payment as it is, and the books tell
  if (completed && completed.outcome.status !== 'unknown') return completed
  const { finding, exchanges, findings } = await lookUpOperation(
    world,
    sendableOperation(step, payment),
    'find',
  )
  if (finding.status !== 'found') throw gatewayTimeout()
  return { outcome: finding.outcome, exchanges, ...(findings && { findings }) }
}

/**
 * If the approval has a token, only the page that got the token may complete the payment, not a stranger's.
 */
function checkToken(
  { buyer }: Extract<Outcome, { status: 'approved' }>,
  token: { value: string | null } | undefined,
): void {
  if (!token || !buyer?.token) return
  if (token.value === null) throw invalidQuery('authorization_token', 'is required')
  if (!isEqualInConstantTime(buyer.token, token.value))
    throw invalidQuery('authorization_token', 'is not the token of this payment’s approval')
}

const MAX_WAIT_MS = 10_000

/**
 * The transaction once it has no active operation, or as it stands after `MAX_WAIT_MS`. A cancellation that the
 * payment service decides later is not waited for.
 */
async function waitUntilDecided(world: World, account: string, id: string): Promise<TransactionRow> {
  const deadline = performance.now() + MAX_WAIT_MS
  for (let pause = 10; ; pause = Math.min(pause * 2, 250)) {
    const row = await readTransaction(world, account, id)
    const { active_operation_id: active } = row
    if (!active || performance.now() > deadline) return row
    const current = await readOperation<TransactionRow>(world, account, active)
    if (current?.operation.status === 'pending') return current.transaction
    await wait(pause)
  }
}
