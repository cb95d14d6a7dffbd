import { antiFraudServiceById } from '../../anti-fraud/screening-service.ts'
import { unauthorized } from '../../api/errors.ts'
import { withoutCardNumbers } from '../../api/request/redact-url.ts'
import { isUuid } from '../../api/values/uuid.ts'
import type { ReviewMessage } from '../../connectors/contract/anti-fraud-connector.ts'
import { instrumentedHttp } from '../../connectors/wire/http.ts'
import type { World } from '../../world.ts'
import { handleReviewDecision } from './review.ts'

/** The only content type that the API takes. */
const JSON_TYPE = 'application/json'

const MAX_COMMENT_CHARACTERS = 1_000

/** A reviewer's comment as the timeline stores it: shortened, without card numbers. */
const redactedComment = (comment: string | null) =>
  comment && withoutCardNumbers(Array.from(comment).slice(0, MAX_COMMENT_CHARACTERS).join(''))

/**
 * Handles an anti-fraud service's report of a decision. The decision is the service's own, so Railyard
 * believes it once the connector has verified the signature. Returns whether the message was understood, not
 * whether the transaction exists. Throws 401 for a wrong signature.
 */
export async function handleReviewNotification(
  world: World,
  account: string,
  id: string,
  message: ReviewMessage,
): Promise<boolean> {
  const configured = await antiFraudServiceById(world, account, id)
  if (!configured?.connector) return true
  const { request: http } = instrumentedHttp(world, {
    definition: configured.identity.definition_id,
    operation: 'notification',
  })
  const notice = configured.connector.readReviewMessage({ http, service: configured.service }, message)
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
