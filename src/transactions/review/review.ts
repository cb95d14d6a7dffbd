import { tooEarly } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import type { Outcome } from '../../connectors/contract/outcome.ts'
import { namedStatement } from '../../database/named-statement.ts'
import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import { nextRedemption } from '../../gift-cards/redemptions/redemption.ts'
import { readOperations } from '../../operations/journal/read-operations.ts'
import {
  followReviewDecision,
  postponeReview,
  type ReviewStep,
  recordReviewDecision,
} from '../../operations/journal/review-journal.ts'
import { isOpen, type OperationRow, openStatuses } from '../../operations/operation.ts'
import { nextReviewAt } from '../../operations/operation-times.ts'
import type { World } from '../../world.ts'
import { abandonApproval, completeApproval, type ReturnedParameters } from '../approval/approval.ts'
import { executePayment } from '../execution/execute-payment.ts'
import { newOperationOn } from '../new-operation.ts'
import { outboxEvent } from '../outbox.ts'
import { compensationAfterReview } from '../split-tender/split-tender.ts'
import { timelineEntry } from '../timeline.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { findTransaction, readTransaction } from '../transaction.store.ts'

/** A person's decision on a payment, as an anti-fraud service reports it. */
export interface ReportedReview {
  account: string
  /** The anti-fraud service that reports it. */
  service: string
  transaction: string
  decision: 'accept' | 'reject'
  comment: string | null
  /** For the timeline: the notification without what must not be stored. */
  content: unknown
  contentType: string
}

/**
 * Records and applies the decision on a payment that waits for a review (semantics §3.2). The first decision
 * counts; a later one, or one of a service that did not screen the payment, changes nothing. Accept: the
 * capture that waited follows. Reject: the authorization is voided; what is captured already and what gift
 * cards paid stays, until the merchant refunds it. Throws 425 while the screening itself has no recorded
 * outcome: the service sends the decision again.
 */
export async function handleReviewDecision(world: World, review: ReportedReview): Promise<void> {
  const { account, service, transaction: id, decision } = review
  if (await isBeingScreened(world, account, id, service)) throw tooEarly()
  const row = await findTransaction(world, account, id)
  const screening = row?.pending_review ? row.anti_fraud : null
  if (!screening) return
  const context = {
    anti_fraud_service_id: screening.service.id,
    anti_fraud_service_name: screening.service.name,
    anti_fraud_service_definition_id: screening.service.definition_id,
    anti_fraud_check_id: screening.check_id,
    content: review.content,
    content_type: review.contentType,
    decision,
    comment: review.comment,
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

const selectOpenScreening = namedStatement(
  ['account', 'transaction', 'statuses', 'service'],
  (p) => `
select 1 as one
  from ${ofPayment('operations', p.transaction)}
 where merchant_account_id = ${p.account}
   and transaction_id = ${p.transaction}
   and kind = 'screening'
   and status = any(${p.statuses}::text[])
   and input->>'anti_fraud_service' = ${p.service}`,
)

const isBeingScreened = async (
  world: World,
  account: string,
  transaction: string,
  service: string,
): Promise<boolean> =>
  (await selectOpenScreening.run(world, { account, transaction, statuses: openStatuses, service })).length > 0

/**
 * Whether recovery has to apply a review: a screening with an outcome has a `check_at` only while its
 * review's decision is not applied.
 */
export const isReviewDecided = ({ kind, status }: OperationRow): boolean =>
  kind === 'screening' && !isOpen(status)

/**
 * Recovery: continues a payment whose review was decided while another operation was under way, or in a
 * process that died.
 */
export async function recoverReview(world: World, screening: OperationRow): Promise<void> {
  const row = await readTransaction(world, screening.merchant_account_id, screening.transaction_id)
  const progress = await applyDecidedReview(world, row)
  await postponeReview(world, screening, progress === 'later' ? nextReviewAt(world, screening) : null)
}

/**
 * `completeApproval`, and then the review, if it was decided while the buyer was away. Throws as
 * `completeApproval` does.
 */
export async function completeApprovalAndReview(
  world: World,
  account: string,
  id: string,
  token?: { value: string | null },
  returned?: ReturnedParameters,
): Promise<TransactionRow> {
  const row = await completeApproval(world, account, id, token, returned)
  if (!row.pending_review) return row
  await applyDecidedReview(world, row)
  return readTransaction(world, account, id)
}

/** Continues a payment whose review is decided; does nothing for any other payment. */
export const applyDecidedReview = async (world: World, row: TransactionRow): Promise<ReviewProgress> =>
  row.pending_review && row.anti_fraud?.decision !== 'review' ? applyReview(world, row) : 'done'

/** `later`: another operation is under way, or its outcome is still pending. */
type ReviewProgress = 'done' | 'later'

const MAX_TRIES = 20

/** The outcome of an approval whose payment the review rejected: the buyer need not approve it any more. */
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
      events:
        row.anti_fraud?.decision === 'accept' ? [outboxEvent(world, 'transaction.review-accepted')] : [],
    })
    if (released) {
      if (operation) await executePayment(world, { transaction: released, operation })
      return 'done'
    }
    row = await readTransaction(world, row.merchant_account_id, row.id)
  }
  return row.pending_review ? 'later' : 'done'
}

/**
 * The void after a rejection is tried once. If the payment service refuses it, the operator or the merchant
 * has to look at the payment.
 */
async function hasRefusedVoid(
  world: World,
  { merchant_account_id: account, id }: TransactionRow,
): Promise<boolean> {
  const operations = await readOperations(world, account, id)
  return operations.some(
    ({ kind, status, input }) =>
      kind === 'void' && input.rejected === true && (status === 'declined' || status === 'failed'),
  )
}

const statusesInProgress: readonly TransactionRow['status'][] = [
  'processing',
  'buyer_approval_pending',
  'authorization_void_pending',
]

/** A redemption that its gift card service decides later is pending, and not active. */
const isInProgress = (row: TransactionRow) =>
  row.active_operation_id !== null ||
  statusesInProgress.includes(row.status) ||
  ((row.status === 'authorization_succeeded' || row.status === 'capture_succeeded') &&
    row.gift_cards !== null &&
    nextRedemption(row.gift_cards) !== undefined)

/** What a decision means for a payment without an operation under way. */
export function reviewStepOf(row: TransactionRow): ReviewStep {
  const holdsAuthorization =
    row.status === 'authorization_succeeded' && row.captured_amount === 0 && row.capture_reserved === 0
  const isRejected = row.anti_fraud?.decision === 'reject'
  // a gift card refused its part during the review: what the payment method paid, be it by a sale that could not
  // wait, is undone now, as it would have been without the review
  const isRefused = row.gift_cards !== null && row.intent_outcome === 'failed'
  if (isRefused && !isRejected && (holdsAuthorization || isSaleOfRefusedGiftCard(row))) return 'undo'
  if (!holdsAuthorization) return 'nothing'
  if (isRejected) return 'void'
  const awaitsCapture =
    row.intent === 'capture' &&
    row.intent_outcome === 'pending' &&
    !row.capture_closed &&
    row.authorized_amount > 0
  return awaitsCapture ? 'capture' : 'nothing'
}

/** Not one that the payment service took back: what gift cards have paid beside it stands (`projectLateFailure`). */
const isSaleOfRefusedGiftCard = ({ status, gift_cards }: TransactionRow): boolean =>
  status === 'capture_succeeded' &&
  gift_cards !== null &&
  gift_cards.redemptions.some((redemption) => redemption.status === 'failed')

function reviewOperation(world: World, row: TransactionRow, step: ReviewStep): OperationRow | null {
  if (step === 'nothing') return null
  return step === 'undo'
    ? (compensationAfterReview(world, row) ?? null)
    : newReviewOperation(world, row, step)
}

const newReviewOperation = (world: World, row: TransactionRow, kind: 'capture' | 'void'): OperationRow =>
  newOperationOn(world, row, {
    kind,
    amount: row.authorized_amount,
    input: kind === 'capture' ? { final: true } : { rejected: true },
  })
