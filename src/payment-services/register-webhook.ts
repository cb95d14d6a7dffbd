import { badGateway, badRequest, changedMeanwhile, notFound, orNotFound } from '../api/errors.ts'
import { timeOf } from '../base/clock.ts'
import { findService, updateService } from '../configured-services/configured-service.store.ts'
import { instrumentedHttp } from '../connectors/wire/http.ts'
import { isSame } from '../database/rows/would-change.ts'
import type { World } from '../world.ts'
import { notificationUrl } from './notification-url.ts'
import type { PaymentService } from './payment-service.schema.ts'
import { paymentService, paymentServiceKind } from './payment-service.store.ts'
import { applyUpdate } from './payment-service.ts'

/**
 * Registers the service's webhook URL at its provider, and stores the fields that verify the provider's
 * notifications. Repeated, it replaces what it registered before. A service that needs no registration stays as
 * it is. Throws 404 for an unknown service, 400 if the provider has no API for it or refuses, 502 if the
 * provider's answer is lost, and 409 if the service's fields have changed meanwhile: another request may have
 * registered the URL, with another secret.
 */
export async function registerWebhook(world: World, account: string, id: string): Promise<PaymentService> {
  const service = await paymentService(world, account, id)
  const connector = service && world.connectors.get(service.payment_service_definition_id)
  if (!connector || service.deleted_at !== null) throw notFound()
  const { definition } = connector
  if (!connector.registerNotifications) {
    if (definition.features.requires_webhook_setup)
      throw badRequest(
        'This payment service has no API for it: enter its webhook_url on the provider’s own pages',
      )
    // it gets the URL with each request, or sends no notifications
    return orNotFound(await findService(world, paymentServiceKind, account, id))
  }
  const answer = await connector.registerNotifications({
    http: instrumentedHttp(world, { definition: definition.id, operation: 'register' }).request,
    service: { id, fields: service.values, notificationUrl: notificationUrl(world, account, id) },
  })
  if (answer.status === 'refused') throw badRequest(`The payment service refused: ${answer.reason}`)
  if (answer.status === 'unknown')
    throw badGateway(
      'The payment service does not answer as it should, so that the webhook may be registered or not: send the request again, which replaces it',
    )
  const fields = Object.entries(answer.fields).map(([key, value]) => ({ key, value }))
  const updated = await updateService(world, paymentServiceKind, account, id, (_, settings) => {
    if (!isSame(settings.values, service.values))
      throw changedMeanwhile(
        'The fields of the payment service have changed meanwhile: send the request again, which replaces the webhook',
      )
    return {
      definition,
      settings: applyUpdate(settings, { fields }, timeOf(world.clock)),
      isSameAccount: true,
    }
  })
  return orNotFound(updated)
}
