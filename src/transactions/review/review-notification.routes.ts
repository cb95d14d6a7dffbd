import { Type } from 'typebox'
import { antiFraudNotifications } from '../../anti-fraud/notification-url.ts'
import { notFound } from '../../api/errors.ts'
import type { Routes } from '../../api/routes.ts'
import { Open, Uuid } from '../../api/schema.ts'
import { isNotificationSignature } from '../../connectors/wire/signed-notification-url.ts'
import { handleReviewNotification } from './review-notification.ts'

/**
 * Where anti-fraud services report the decisions of reviews: the `webhook_url` of each. The token in the URL
 * belongs to the service, so that a request from elsewhere is refused at no cost; the signature is the
 * credential.
 */
export const reviewNotificationRoutes: Routes = (app, world) => {
  app.post(
    '/anti-fraud-notifications/:merchant_account_id/:anti_fraud_service_id/:token',
    {
      config: { scopes: 'public', keepsText: true },
      schema: {
        hide: true,
        params: Type.Object({
          merchant_account_id: Type.String(),
          anti_fraud_service_id: Uuid,
          token: Type.String(),
        }),
        body: Open,
        response: { 200: Type.Object({ received: Type.Boolean() }) },
      },
    },
    async ({
      params: { merchant_account_id: account, anti_fraud_service_id: id, token },
      body,
      headers,
      text,
    }) => {
      if (!isNotificationSignature(world, antiFraudNotifications, account, id, token)) throw notFound()
      return { received: await handleReviewNotification(world, account, id, { headers, text, body }) }
    },
  )
}
