import { antiFraudServiceById } from '../../anti-fraud/screening-service.ts'
import { invalid } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import { isBuyerStep, isOpen, type OperationRow } from '../../operations/operation.ts'
import { openChallengeOf } from '../../transactions/approval/challenge.ts'
import { completeReturn } from '../../transactions/approval/return.routes.ts'
import { recoverPayment } from '../../transactions/outcome/recover-payment.ts'
import { handleReviewNotification } from '../../transactions/review/review-notification.ts'
import { signedReview } from '../providers/anti-fraud/review.ts'
import { expireAuthorization, hasCapturableMoney } from './pending-operation.ts'
import type { EventOf } from './simulate.schema.ts'
import { invalidEvent, type SimulationContext, sendToSimulator } from './simulation-context.ts'

/** The approval or the challenge that the transaction waits for. */
const approvalOf = ({ transaction, operations }: SimulationContext): OperationRow | undefined =>
  transaction.status === 'buyer_approval_pending' && transaction.active_operation_id === null
    ? operations.findLast((operation) => isBuyerStep(operation) && isOpen(operation.status))
    : undefined

const isReviewed = ({ transaction: { pending_review, anti_fraud } }: SimulationContext) => pending_review && anti_fraud?.decision === 'review'

export const decisionProblem = (situation: SimulationContext): string | null =>
  approvalOf(situation) || isReviewed(situation) ? null : 'it waits for no buyer and no reviewer'

type Decision = EventOf<'approved'>

/** The buyer, or the reviewer, decides. */
export async function simulateDecision(situation: SimulationContext, { event, by }: Decision): Promise<void> {
  const [buyer, reviewer] = [approvalOf(situation), isReviewed(situation)]
  if (by === undefined && buyer && reviewer) throw invalid({ '/by': 'is required, as it waits for the buyer and for the reviewer' })
  if (by === 'buyer' && !buyer) throw invalid({ '/by': 'it waits for no buyer, only for a reviewer' })
  if (by === 'reviewer' && !reviewer) throw invalid({ '/by': 'it waits for no reviewer, only for the buyer' })
  if (by === 'reviewer' || !buyer) await decideAsReviewer(situation, event)
  else await decideAsBuyer(situation, event)
}

/** They decide on the provider's page, and their browser comes back to us. */
async function decideAsBuyer(situation: SimulationContext, event: Decision['event']): Promise<void> {
  const { world, account, transaction } = situation
  const decision = event === 'approved' ? 'approve' : 'reject'
  const challenge = openChallengeOf(transaction)
  if (challenge) {
    const { acsTransID } = JSON.parse(Buffer.from(challenge.creq, 'base64url').toString())
    await sendToSimulator(situation, '/simulate/cardholder', { acs_transaction_id: String(acsTransID), decision })
  } else
    await sendToSimulator(situation, '/simulate/buyer', {
      service: transaction.payment_service_id,
      reference: transaction.payment_service_transaction_id,
      decision,
    })
  // who turned back at the issuer's page comes back as everybody else does: the 3DS server knows
  await completeReturn(world, account, transaction.id, decision === 'reject' && !challenge ? 'cancelled' : 'approved')
}

async function decideAsReviewer({ world, account, transaction }: SimulationContext, event: Decision['event']): Promise<void> {
  const id = transaction.anti_fraud?.service.id
  const known = id === undefined ? undefined : await antiFraudServiceById(world, account, id)
  if (!known) throw invalidEvent('no anti-fraud service has seen it')
  const body = { transaction_id: transaction.id, decision: event === 'approved' ? 'ACCEPT' : 'REJECT' }
  await handleReviewNotification(world, account, known.service.id, { ...signedReview(known.service.fields['api_key'] ?? '', body), body })
}

export const expiryProblem = (situation: SimulationContext): string | null =>
  approvalOf(situation) || hasCapturableMoney(situation) ? null : 'neither an authorization nor a buyer’s approval can expire'

const endApprovalTime = `
update transactions set approval_expires_at = $3::timestamptz where merchant_account_id = $1 and id = $2 and status = 'buyer_approval_pending'`

/** The time of the buyer's approval is over, or that of the authorization. */
export async function simulateExpiry(situation: SimulationContext): Promise<void> {
  const { world, account, transaction } = situation
  const approval = approvalOf(situation)
  if (!approval) return expireAuthorization(situation)
  await world.run(endApprovalTime, [account, transaction.id, timeOf(world.clock)])
  await recoverPayment(world, approval)
}
