import { antiFraudServiceById } from '../../anti-fraud/screening-service.ts'
import { invalid } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import { namedStatement } from '../../database/named-statement.ts'
import { isBuyerStep, isOpen, type OperationRow } from '../../operations/operation.ts'
import { openChallengeOf } from '../../transactions/approval/challenge.ts'
import { completeReturn } from '../../transactions/approval/return.routes.ts'
import { recoverPayment } from '../../transactions/outcome/recover-payment.ts'
import { handleReviewNotification } from '../../transactions/review/review-notification.ts'
import { signedReview } from '../providers/anti-fraud/review.ts'
import { expireAuthorization, hasCapturableMoney } from './pending-operation.ts'
import type { EventOf } from './simulate.schema.ts'
import { invalidEvent, type SimulationContext, sendToSimulator } from './simulation-context.ts'

/** The open approval or challenge of the transaction. */
const approvalOf = ({ transaction, operations }: SimulationContext): OperationRow | undefined =>
  transaction.status === 'buyer_approval_pending' && transaction.active_operation_id === null
    ? operations.findLast((operation) => isBuyerStep(operation) && isOpen(operation.status))
    : undefined

const isReviewed = ({ transaction: { pending_review, anti_fraud } }: SimulationContext) =>
  pending_review && anti_fraud?.decision === 'review'

export const decisionProblem = (context: SimulationContext): string | null =>
  approvalOf(context) || isReviewed(context) ? null : 'it waits for no buyer and no reviewer'

type Decision = EventOf<'approved'>

/** Simulates the decision of the buyer or the reviewer. */
export async function simulateDecision(context: SimulationContext, { event, by }: Decision): Promise<void> {
  const [buyer, reviewer] = [approvalOf(context), isReviewed(context)]
  if (by === undefined && buyer && reviewer)
    throw invalid({ '/by': 'is required, as it waits for the buyer and for the reviewer' })
  if (by === 'buyer' && !buyer) throw invalid({ '/by': 'it waits for no buyer, only for a reviewer' })
  if (by === 'reviewer' && !reviewer) throw invalid({ '/by': 'it waits for no reviewer, only for the buyer' })
  if (by === 'reviewer' || !buyer) await decideAsReviewer(context, event)
  else await decideAsBuyer(context, event)
}

/** The buyer decides on the provider's page, and the browser returns to Railyard. */
async function decideAsBuyer(context: SimulationContext, event: Decision['event']): Promise<void> {
  const { world, account, transaction } = context
  const decision = event === 'approved' ? 'approve' : 'reject'
  const challenge = openChallengeOf(transaction)
  if (challenge) {
    const { acsTransID } = JSON.parse(Buffer.from(challenge.creq, 'base64url').toString())
    await sendToSimulator(context, '/simulate/cardholder', {
      acs_transaction_id: String(acsTransID),
      decision,
    })
  } else
    await sendToSimulator(context, '/simulate/buyer', {
      service: transaction.payment_service_id,
      reference: transaction.payment_service_transaction_id,
      decision,
    })
  // a cancelled challenge returns like any other: the 3DS server has the result
  await completeReturn(
    world,
    account,
    transaction.id,
    decision === 'reject' && !challenge ? 'cancelled' : 'approved',
  )
}

async function decideAsReviewer(
  { world, account, transaction }: SimulationContext,
  event: Decision['event'],
): Promise<void> {
  const id = transaction.anti_fraud?.service.id
  const antiFraud = id === undefined ? undefined : await antiFraudServiceById(world, account, id)
  if (!antiFraud) throw invalidEvent('no anti-fraud service has seen it')
  const body = { transaction_id: transaction.id, decision: event === 'approved' ? 'ACCEPT' : 'REJECT' }
  await handleReviewNotification(world, account, antiFraud.service.id, {
    ...signedReview(antiFraud.service.fields['api_key'] ?? '', body),
    body,
  })
}

export const expiryProblem = (context: SimulationContext): string | null =>
  approvalOf(context) || hasCapturableMoney(context)
    ? null
    : 'neither an authorization nor a buyer’s approval can expire'

const expireApproval = namedStatement(
  ['account', 'transaction', 'now'],
  (p) => `
update transactions
   set approval_expires_at = ${p.now}::timestamptz
 where merchant_account_id = ${p.account}
   and id = ${p.transaction}
   and status = 'buyer_approval_pending'`,
)

/** Simulates that the buyer's approval, or the authorization, expires. */
export async function simulateExpiry(context: SimulationContext): Promise<void> {
  const { world, account, transaction } = context
  const approval = approvalOf(context)
  if (!approval) return expireAuthorization(context)
  await expireApproval.run(world, { account, transaction: transaction.id, now: timeOf(world.clock) })
  await recoverPayment(world, approval)
}
