import { antiFraudServiceById } from '../../anti-fraud/screening-service.ts'
import { unauthorized } from '../../api/errors.ts'
import { withoutCardNumbers } from '../../api/request/redact-url.ts'
import { isUuid } from '../../api/values/uuid.ts'
import type { ReviewMessage } from '../../connectors/anti-fraud-connector.ts'
import { instrumentedHttp } from '../../connectors/http.ts'
import type { World } from '../../world.ts'
import { handleReviewDecision } from './review.ts'

/** The only one that the API takes. */
const JSON_TYPE = 'application/json'

const MAX_COMMENT_CHARACTERS = 1_000

/** What a reviewer wrote, as the story keeps it. */
const redactedComment = (comment: string | null) => comment && withoutCardNumbers(Array.from(comment).slice(0, MAX_COMMENT_CHARACTERS).join(''))

/**
 * What an anti-fraud service says that was decided of a review. It is the service's own decision, so it is believed once its connector has verified the signature; throws 401 where
 * that is wrong. Answers whether the message was understood, not whether there is such a transaction.
 */
export async function handleReviewNotification(world: World, account: string, id: string, message: ReviewMessage): Promise<boolean> {
  const known = await antiFraudServiceById(world, account, id)
  if (!known?.connector) return true
  const { request: http } = instrumentedHttp(world, { definition: known.identity.definition_id, operation: 'notification' })
  const notice = known.connector.readReviewMessage({ http, service: known.service }, message)
  if (notice.status === 'forged') throw unauthorized('the signature of the review is wrong')
  if (notice.status === 'irrelevant') return false
  if (!isUuid(notice.transactionId)) return true
  const { transactionId, decision } = notice
  const comment = redactedComment(notice.comment)
  await handleReviewDecision(world, {
    account,
    service: id,
    transaction: transactionId,
    decision,
    comment,
    content: { transaction_id: transactionId, decision: decision.toUpperCase(), ...(comment && { comment }) },
    contentType: JSON_TYPE,
  })
  return true
}
