import { antiFraudServiceById } from '../../anti-fraud/screening-service.ts'
import { invalid } from '../../api/errors.ts'
import { asksBuyer, isOpen, type OperationRow } from '../../operations/operation.ts'
import { challengeOf } from '../../transactions/challenge.ts'
import { examine } from '../../transactions/examine.ts'
import { outcomeFor } from '../../transactions/return.routes.ts'
import { hearReviewNotice } from '../../transactions/review-notice.ts'
import { timeOf } from '../../world.ts'
import { signedReview } from '../anti-fraud/review.ts'
import { expireAuthorization, holdsMoney } from './pending.ts'
import type { EventOf } from './simulate.schema.ts'
import { make, type Situation, unfit } from './situation.ts'

/** The approval or the challenge that the transaction waits for. */
const approvalOf = ({ transaction, operations }: Situation): OperationRow | undefined =>
  transaction.status === 'buyer_approval_pending' && transaction.active_operation_id === null
    ? operations.findLast((operation) => asksBuyer(operation) && isOpen(operation.status))
    : undefined

const isReviewed = ({ transaction: { pending_review, anti_fraud } }: Situation) => pending_review && anti_fraud?.decision === 'review'

export const nobodyDecides = (situation: Situation): string | null =>
  approvalOf(situation) || isReviewed(situation) ? null : 'it waits for no buyer and no reviewer'

type Decision = EventOf<'approved'>

/** The buyer, or the reviewer, decides. */
export async function decide(situation: Situation, { event, by }: Decision): Promise<void> {
  const [buyer, reviewer] = [approvalOf(situation), isReviewed(situation)]
  if (by === undefined && buyer && reviewer) throw invalid({ '/by': 'is required, as it waits for the buyer and for the reviewer' })
  if (by === 'buyer' && !buyer) throw invalid({ '/by': 'it waits for no buyer, only for a reviewer' })
  if (by === 'reviewer' && !reviewer) throw invalid({ '/by': 'it waits for no reviewer, only for the buyer' })
  if (by === 'reviewer' || !buyer) await review(situation, event)
  else await approve(situation, event)
}

/** They decide on the provider's page, and their browser comes back to us. */
async function approve(situation: Situation, event: Decision['event']): Promise<void> {
  const { world, account, transaction } = situation
  const decision = event === 'approved' ? 'approve' : 'reject'
  const challenge = challengeOf(transaction)
  if (challenge) {
    const { acsTransID } = JSON.parse(Buffer.from(challenge.creq, 'base64url').toString())
    await make(situation, '/simulate/cardholder', { acs_transaction_id: String(acsTransID), decision })
  } else
    await make(situation, '/simulate/buyer', {
      service: transaction.payment_service_id,
      reference: transaction.payment_service_transaction_id,
      decision,
    })
  // who turned back at the issuer's page comes back as everybody else does: the 3DS server knows
  await outcomeFor(world, account, transaction.id, decision === 'reject' && !challenge ? 'cancelled' : 'approved')
}

async function review({ world, account, transaction }: Situation, event: Decision['event']): Promise<void> {
  const id = transaction.anti_fraud?.service.id
  const known = id === undefined ? undefined : await antiFraudServiceById(world, account, id)
  if (!known) throw unfit('no anti-fraud service has seen it')
  const body = { transaction_id: transaction.id, decision: event === 'approved' ? 'ACCEPT' : 'REJECT' }
  await hearReviewNotice(world, account, known.service.id, { ...signedReview(known.service.fields['api_key'] ?? '', body), body })
}

export const nothingExpires = (situation: Situation): string | null =>
  approvalOf(situation) || holdsMoney(situation) ? null : 'neither an authorization nor a buyer’s approval can expire'

const end = `
update transactions set approval_expires_at = $3::timestamptz where merchant_account_id = $1 and id = $2 and status = 'buyer_approval_pending'`

/** The time of the buyer's approval is over, or that of the authorization. */
export async function expire(situation: Situation): Promise<void> {
  const { world, account, transaction } = situation
  const approval = approvalOf(situation)
  if (!approval) return expireAuthorization(situation)
  await world.run(end, [account, transaction.id, timeOf(world.clock)])
  await examine(world, approval)
}
