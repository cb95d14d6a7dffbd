import { tooEarly } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import type { Outcome } from '../../connectors/connector.ts'
import { readOperations } from '../../operations/journal/journal.ts'
import { followReviewDecision, postponeReview, type ReviewStep, recordReviewDecision } from '../../operations/journal/review-journal.ts'
import { isOpen, type OperationRow, openStatuses } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { abandonApproval, completeApproval } from '../approval/approval.ts'
import { executePayment } from '../execution/execute-payment.ts'
import { newOperationOn } from '../new-operation.ts'
import { compensationAfterReview } from '../split-tender/split-tender.ts'
import { outboxEvent, timelineEntry } from '../timeline.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { readTransaction } from '../transaction.store.ts'

/** What an anti-fraud service says that a person decided of a payment. */
export interface ReportedReview {
  account: string
  /** The service that says so. */
  service: string
  transaction: string
  decision: 'accept' | 'reject'
  comment: string | null
  /** For the story: what it sent, without what must not be kept. */
  content: unknown
  contentType: string
}

/**
 * What was decided of a payment that was held for review (SEMANTICS §3.2). The first decision counts; whatever comes after it, or is about another
 * service's payment, changes nothing. Accepted, the capture that was held follows; rejected, the authorization is voided. What was captured already
 * is left, and gift cards keep what they paid: both are a refund's to give back. Throws 425 where the service's own answer, that a person is to decide, is not written down yet: it
 * sends the decision again.
 */
export async function handleReviewDecision(world: World, verdict: ReportedReview): Promise<void> {
  const { account, service, transaction: id, decision } = verdict
  if (await isBeingScreened(world, account, id, service)) throw tooEarly()
  const held = await readPendingReview(world, account, id)
  const screening = held?.anti_fraud
  if (!screening) return
  const context = {
    anti_fraud_service_id: screening.service.id,
    anti_fraud_service_name: screening.service.name,
    anti_fraud_service_definition_id: screening.service.definition_id,
    anti_fraud_check_id: screening.check_id,
    content: verdict.content,
    content_type: verdict.contentType,
    decision,
    comment: verdict.comment,
  }
  const timeline = [timelineEntry(world, 'anti-fraud-webhook', context)]
  const decided = await recordReviewDecision<TransactionRow>(world, {
    account,
    transaction: id,
    service,
    decision,
    now: timeOf(world.clock),
    timeline,
  })
  if (decided) await applyReview(world, decided)
}

const selectPendingReview = 'select row_to_json(t) as transaction from transactions t where merchant_account_id = $1 and id = $2 and pending_review'

async function readPendingReview(world: World, account: string, id: string): Promise<TransactionRow | undefined> {
  const [row] = await world.run<{ transaction: TransactionRow }>(selectPendingReview, [account, id])
  return row?.transaction
}

const openScreening = `
select 1 as one from operations
 where merchant_account_id = $1 and transaction_id = $2 and kind = 'screening' and status = any($3::text[]) and input->>'anti_fraud_service' = $4`

const isBeingScreened = async (world: World, account: string, id: string, service: string): Promise<boolean> =>
  (await world.run(openScreening, [account, id, openStatuses, service])).length > 0

const FIRST_RETRY_MS = 1_000
/** A payment that is held may wait for its cardholder for an hour; once it stands still it goes on within half a minute, as everything that recovery finds out. */
const MAX_RETRY_INTERVAL_MS = 15_000

/** A settled screening has a time only where a review waits to be followed. */
export const isReviewDecided = ({ kind, status }: OperationRow): boolean => kind === 'screening' && !isOpen(status)

/** Recovery: goes on with a payment whose review was decided while something else was under way, or by a process that died. */
export async function recoverReview(world: World, screening: OperationRow): Promise<void> {
  const row = await readTransaction(world, screening.merchant_account_id, screening.transaction_id)
  const outcome = await applyDecidedReview(world, row)
  const wait = Math.min(FIRST_RETRY_MS * 2 ** Math.min(screening.checks, 10), MAX_RETRY_INTERVAL_MS)
  await postponeReview(world, screening, outcome === 'later' ? new Date(world.clock.now() + wait).toISOString() : null)
}

/** `completeApproval`, and then what a review that was decided while the buyer was away means for the payment. Throws as that does. */
export async function completeApprovalAndReview(
  world: World,
  account: string,
  id: string,
  token?: { value: string | null },
): Promise<TransactionRow> {
  const row = await completeApproval(world, account, id, token)
  if (!row.pending_review) return row
  await applyDecidedReview(world, row)
  return readTransaction(world, account, id)
}

/** Goes on with a payment whose review is decided, where one is. */
export const applyDecidedReview = async (world: World, row: TransactionRow): Promise<ReviewProgress> =>
  row.pending_review && row.anti_fraud?.decision !== 'review' ? applyReview(world, row) : 'done'

/** `later`: another operation is under way, or the payment service has not decided. */
type ReviewProgress = 'done' | 'later'

const MAX_TRIES = 20

/** Nobody is asked to approve what is refused already. */
const rejectedByReview: Outcome = { status: 'declined', code: 'suspected_fraud', facts: {}, references: {} }

async function applyReview(world: World, decided: TransactionRow): Promise<ReviewProgress> {
  let row = decided
  for (let tries = 0; tries < MAX_TRIES && row.pending_review; tries++) {
    if (row.status === 'buyer_approval_pending' && row.anti_fraud?.decision === 'reject') {
      row = await abandonApproval(world, row.merchant_account_id, row.id, rejectedByReview)
      continue
    }
    if (isInProgress(row)) return 'later'
    const step = reviewStepOf(row)
    if (step === 'void' && (await hasRefusedVoid(world, row))) return 'done'
    const operation = reviewOperation(world, row, step)
    const released = await followReviewDecision<TransactionRow>(world, {
      account: row.merchant_account_id,
      transaction: row.id,
      step,
      status: row.status,
      operation,
      now: timeOf(world.clock),
      events: row.anti_fraud?.decision === 'accept' ? [outboxEvent(world, 'transaction.review-accepted')] : [],
    })
    if (released) {
      if (operation) await executePayment(world, { transaction: released, operation })
      return 'done'
    }
    row = await readTransaction(world, row.merchant_account_id, row.id)
  }
  return row.pending_review ? 'later' : 'done'
}

/** A reject is tried once: what the payment service does not void then is left for somebody to look at. */
async function hasRefusedVoid(world: World, { merchant_account_id: account, id }: TransactionRow): Promise<boolean> {
  const operations = await readOperations(world, account, id)
  return operations.some(({ kind, status, input }) => kind === 'void' && input.rejected === true && (status === 'declined' || status === 'failed'))
}

const statusesInProgress: readonly TransactionRow['status'][] = ['processing', 'buyer_approval_pending', 'authorization_void_pending']

const isInProgress = (row: TransactionRow) => row.active_operation_id !== null || statusesInProgress.includes(row.status)

/** What a decision means for a payment that stands still. */
export function reviewStepOf(row: TransactionRow): ReviewStep {
  const holds = row.status === 'authorization_succeeded' && row.captured_amount === 0 && row.capture_reserved === 0
  if (!holds) return 'nothing'
  if (row.anti_fraud?.decision === 'reject') return 'void'
  // a gift card has refused its part meanwhile: what took effect is given back, as it would have been without the review
  if (row.gift_cards && row.intent_outcome === 'failed') return 'undo'
  const isAwaited = row.intent === 'capture' && row.intent_outcome === 'pending' && !row.capture_closed && row.authorized_amount > 0
  return isAwaited ? 'capture' : 'nothing'
}

function reviewOperation(world: World, row: TransactionRow, step: ReviewStep): OperationRow | null {
  if (step === 'nothing') return null
  return step === 'undo' ? (compensationAfterReview(world, row) ?? null) : newReviewOperation(world, row, step)
}

const newReviewOperation = (world: World, row: TransactionRow, kind: 'capture' | 'void'): OperationRow =>
  newOperationOn(world, row, { kind, amount: row.authorized_amount, input: kind === 'capture' ? { final: true } : { rejected: true } })
