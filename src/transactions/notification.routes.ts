import { Type } from 'typebox'
import { notFound } from '../api/errors.ts'
import type { Routes } from '../api/routes.ts'
import { Open, Uuid } from '../api/schema.ts'
import { readOperation } from '../operations/journal.ts'
import { isNotificationToken } from '../payment-services/notification-url.ts'
import { paymentService } from '../payment-services/payment-service.store.ts'
import { examine } from './examine.ts'

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Where payment services say that something moved on. What they say is never believed: it makes us read their books. So a forged, repeated,
 * late or reordered notification changes nothing that is not so.
 */
export const notificationRoutes: Routes = (app, world) => {
  app.post(
    '/notifications/:merchant_account_id/:payment_service_id/:token',
    {
      config: { scopes: 'public' },
      schema: {
        hide: true,
        params: Type.Object({ merchant_account_id: Type.String(), payment_service_id: Uuid, token: Type.String() }),
        body: Open,
        response: { 200: Type.Object({ received: Type.Boolean() }) },
      },
    },
    async ({ params: { merchant_account_id: account, payment_service_id: id, token }, body }) => {
      if (!isNotificationToken(world, account, id, token)) throw notFound()
      const service = await paymentService(world, account, id)
      const connector = service && world.connectors.get(service.payment_service_definition_id)
      const operationId = connector?.notification?.(body)
      if (!operationId || !uuidForm.test(operationId)) return { received: false }
      const known = await readOperation<unknown>(world, account, operationId)
      // in flight: its own request will know sooner, and reading the books meanwhile would close it
      if (!known || known.operation.payment_service_id !== id || known.operation.status === 'sent') return { received: false }
      await examine(world, known.operation)
      return { received: true }
    },
  )
}
