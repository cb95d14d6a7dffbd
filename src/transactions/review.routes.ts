import { Type } from 'typebox'
import { isAntiFraudToken } from '../anti-fraud/notification-url.ts'
import { antiFraudServiceById } from '../anti-fraud/screening-service.ts'
import { notFound, unauthorized } from '../api/errors.ts'
import { withoutCardNumbers } from '../api/redact-url.ts'
import type { Routes } from '../api/routes.ts'
import { Open, Uuid } from '../api/schema.ts'
import { isUuid } from '../api/validation.ts'
import { watched } from '../connectors/http.ts'
import { hearVerdict } from './review.ts'

/** The only one that the API takes. */
const JSON_TYPE = 'application/json'

const LONGEST_COMMENT = 1_000

/** What a reviewer wrote, as the story keeps it. */
const kept = (comment: string | null) => comment && withoutCardNumbers(Array.from(comment).slice(0, LONGEST_COMMENT).join(''))

/**
 * Where anti-fraud services say what was decided of a review: the `webhook_url` of each. It is their own decision, so they are believed; the token is their
 * credential. The answer tells whether the message was understood, not whether there is such a transaction.
 */
export const reviewRoutes: Routes = (app, world) => {
  app.post(
    '/anti-fraud-notifications/:merchant_account_id/:anti_fraud_service_id/:token',
    {
      config: { scopes: 'public', keepsText: true },
      schema: {
        hide: true,
        params: Type.Object({ merchant_account_id: Type.String(), anti_fraud_service_id: Uuid, token: Type.String() }),
        body: Open,
        response: { 200: Type.Object({ received: Type.Boolean() }) },
      },
    },
    async ({ params: { merchant_account_id: account, anti_fraud_service_id, token }, body, headers, text }) => {
      const id = anti_fraud_service_id.toLowerCase()
      if (!isAntiFraudToken(world, account, id, token)) throw notFound()
      const known = await antiFraudServiceById(world, account, id)
      if (!known?.connector) return { received: true }
      const { request: http } = watched(world, { definition: known.named.definition_id, operation: 'notification' })
      const notice = known.connector.notice({ http, service: known.service }, { headers, text, body })
      if (notice === 'forged') throw unauthorized('the notification is forged')
      if (notice === 'nothing') return { received: false }
      if (!isUuid(notice.transactionId)) return { received: true }
      const { transactionId, decision } = notice
      const comment = kept(notice.comment)
      await hearVerdict(world, {
        account,
        service: id,
        transaction: transactionId,
        decision,
        comment,
        content: { transaction_id: transactionId, decision: decision.toUpperCase(), ...(comment && { comment }) },
        contentType: JSON_TYPE,
      })
      return { received: true }
    },
  )
}
