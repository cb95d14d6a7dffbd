import { Type } from 'typebox'
import { notFound } from '../../api/errors.ts'
import type { Routes } from '../../api/routes.ts'
import { Open, Uuid } from '../../api/schema.ts'
import { isNotificationSignature } from '../../connectors/wire/signed-notification-url.ts'
import { findNetworkToken } from './network-token.store.ts'
import { synchronizeToken } from './network-token.ts'
import { tokenNotifications } from './network-token-notification.ts'

/** The content of a notification is not trusted: it only makes us ask the token service. */
export const networkTokenNotificationRoutes: Routes = (app, world) => {
  app.post(
    '/notifications/network-tokens/:merchant_account_id/:network_token_id/:proof',
    {
      config: { scopes: 'public' },
      schema: {
        hide: true,
        params: Type.Object({
          merchant_account_id: Type.String(),
          network_token_id: Uuid,
          proof: Type.String(),
        }),
        body: Open,
        response: { 200: Type.Object({ received: Type.Boolean() }) },
      },
    },
    async ({ params: { merchant_account_id: account, network_token_id: id, proof: sentProof } }) => {
      if (!isNotificationSignature(world, tokenNotifications, account, id, sentProof)) throw notFound()
      const row = await findNetworkToken(world, account, id)
      if (row && (row.status === 'active' || row.status === 'suspended')) await synchronizeToken(world, row)
      return { received: row !== undefined }
    },
  )
}
