import { Type } from 'typebox'
import { badGateway, invalid, invalidCredentials, notFound } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import type { Routes } from '../api/routes.ts'
import { Nullable, Open, Uuid } from '../api/schema.ts'
import { type FieldValues, validFieldsAfter } from '../configured-services/fields.ts'
import type { ServiceForCall } from '../connectors/contract/call.ts'
import { instrumentedHttp } from '../connectors/wire/http.ts'
import type { World } from '../world.ts'
import { notificationUrl } from './notification-url.ts'
import { CreateSession, PaymentService, VerifyCredentials } from './payment-service.schema.ts'
import { paymentService } from './payment-service.store.ts'
import { registerWebhook } from './register-webhook.ts'
import { createSession, NO_SERVICE } from './session.ts'

const tags = ['Payment services']

/**
 * Calls to a payment service that belong to no payment: verifying credentials, registering the webhook, and
 * opening a session.
 */
export const connectionRoutes: Routes = (app, world) => {
  app.post(
    '/payment-services/verify',
    {
      config: { scopes: ['payment-services.write'] },
      schema: {
        operationId: 'verify_payment_service_credentials',
        summary: 'Verify credentials',
        description:
          'Asks the payment service whether it accepts these fields; nothing is stored. A refusal is a 400 `invalid_credentials`; a 502 says that it did not answer.',
        tags,
        headers,
        body: VerifyCredentials,
        response: { 200: Open },
      },
    },
    async ({ body, account }) => {
      const connector = world.connectors.get(body.payment_service_definition_id)
      if (!connector)
        throw invalid({ '/payment_service_definition_id': 'is not the id of a payment service definition' })
      const { definition } = connector
      const stored = body.payment_service_id
        ? await storedValues(world, account, body.payment_service_id, definition.id)
        : {}
      const values = validFieldsAfter(definition.fields, stored, body.fields)
      const service = serviceForCall(world, account, body.payment_service_id ?? NO_SERVICE, values)
      const answer = await connector.verifyCredentials({
        http: instrumentedHttp(world, { definition: definition.id, operation: 'verify' }).request,
        service,
      })
      if (answer === 'refused') throw invalidCredentials('The payment service refused these credentials')
      if (answer === 'no answer')
        throw badGateway(
          'The payment service does not answer as it should, so that these credentials could not be verified: send the request again later, or check that this process reaches the host of the service (in a sandbox also PROVIDER_URLS)',
        )
      return {}
    },
  )

  app.post(
    '/payment-services/:payment_service_id/register-webhook',
    {
      config: { scopes: ['payment-services.write'] },
      schema: {
        operationId: 'register_payment_service_webhook',
        summary: 'Register the webhook',
        description:
          'Registers `webhook_url` at the payment service, which then notifies Railyard, and stores the secret that verifies the notifications. Repeated, it replaces the webhook. A definition without the feature `webhook_registration` has no API for it: where its feature `requires_webhook_setup` is true, the answer is a 400, as it is for a refusal; else there is nothing to register. A 502 says that the answer was lost: send the request again.',
        tags,
        headers,
        params: Type.Object({ payment_service_id: Uuid }),
        response: { 200: PaymentService },
      },
    },
    ({ params, account }) => registerWebhook(world, account, params.payment_service_id),
  )

  app.post(
    '/payment-services/:payment_service_id/sessions',
    {
      config: { scopes: ['transactions.write'] },
      schema: {
        operationId: 'create_payment_service_session',
        summary: 'Open a session',
        description:
          'Asks a configured payment service for a session; the body is handed on, and may be left out. A session that cannot be generated is a 200 with the status `failed` and a `code`.',
        tags,
        headers,
        params: Type.Object({ payment_service_id: Uuid }),
        body: Nullable(Open),
        response: { 200: CreateSession },
      },
    },
    async ({ params, body, account }) => {
      const service = await paymentService(world, account, params.payment_service_id)
      const connector = service && world.connectors.get(service.payment_service_definition_id)
      if (!connector || !service.active || service.deleted_at !== null) throw notFound()
      return createSession(world, connector, serviceForCall(world, account, service.id, service.values), body)
    },
  )
}

const serviceForCall = (world: World, account: string, id: string, fields: FieldValues): ServiceForCall => ({
  id,
  fields,
  notificationUrl: notificationUrl(world, account, id),
})

/**
 * The fields of a configured service, the secret ones included. Throws 400 for a service of another
 * definition, whose provider must not get its secrets.
 */
async function storedValues(
  world: World,
  account: string,
  id: string,
  definitionId: string,
): Promise<FieldValues> {
  const service = await paymentService(world, account, id)
  if (!service || service.deleted_at !== null)
    throw invalid({ '/payment_service_id': 'is not the id of a payment service' })
  if (service.payment_service_definition_id !== definitionId)
    throw invalid({ '/payment_service_id': `is not a service of ${definitionId}` })
  return service.values
}
