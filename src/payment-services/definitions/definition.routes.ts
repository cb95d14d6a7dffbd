import { Type } from 'typebox'
import { notFound } from '../../api/errors.ts'
import { answerPage, type PageRequest } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { Nullable, Open, pageQuery } from '../../api/schema.ts'
import type { Connector } from '../../connectors/contract/connector.ts'
import type { World } from '../../world.ts'
import { CreateSession } from '../payment-service.schema.ts'
import { createSession, NO_SERVICE } from '../session.ts'
import { PaymentServiceDefinition, PaymentServiceDefinitions } from './definition.schema.ts'
import { toPaymentServiceDefinition } from './definition.ts'

const tags = ['Payment service definitions']
const params = Type.Object({ payment_service_definition_id: Type.String() })
const read = { scopes: ['payment-service-definitions.read'], merchantScoped: false }

export const definitionRoutes: Routes = (app, world) => {
  app.get(
    '/payment-service-definitions',
    {
      config: read,
      schema: {
        operationId: 'list_payment_service_definitions',
        summary: 'List payment service definitions',
        description: 'The kinds of payment services that can be configured, by their ids.',
        tags,
        querystring: Type.Object(pageQuery()),
        response: { 200: PaymentServiceDefinitions },
      },
    },
    async ({ query }) =>
      answerPage(world.cipher, 'payment-service-definitions', query, {
        read: (page) => connectorsFrom(world, page),
        positionOf: ({ definition: { id } }) => ({ key: id, id }),
        show: toPaymentServiceDefinition,
      }),
  )

  app.get(
    '/payment-service-definitions/:payment_service_definition_id',
    {
      config: read,
      schema: {
        operationId: 'get_payment_service_definition',
        summary: 'Get a payment service definition',
        description: 'What a kind of payment service can do, and which fields it asks for.',
        tags,
        params,
        response: { 200: PaymentServiceDefinition },
      },
    },
    async ({ params }) =>
      toPaymentServiceDefinition(requireConnector(world, params.payment_service_definition_id)),
  )

  app.post(
    '/payment-service-definitions/:payment_service_definition_id/sessions',
    {
      config: { scopes: ['transactions.write'], merchantScoped: false },
      schema: {
        operationId: 'create_payment_service_definition_session',
        summary: 'Open a session with a definition',
        description: 'Asks a payment service for a session without anybody’s credentials.',
        tags,
        params,
        body: Nullable(Open),
        response: { 200: CreateSession },
      },
    },
    // without credentials and a notification URL: the payment service decides whether it opens sessions on
    // such terms
    async ({ params, body }) =>
      createSession(
        world,
        requireConnector(world, params.payment_service_definition_id),
        { id: NO_SERVICE, fields: {}, notificationUrl: '' },
        body,
      ),
  )
}

/** Throws 404 for a kind of payment service that this installation does not have. */
function requireConnector({ connectors }: World, id: string): Connector {
  const connector = connectors.get(id)
  if (!connector) throw notFound()
  return connector
}

/** In the order of their ids; in reverse order for the previous page, as `pageOf` expects. */
function connectorsFrom({ connectors }: World, { limit, position }: PageRequest): Connector[] {
  const direction = position?.direction === 'previous' ? -1 : 1
  const isAfter = (a: string, b: string) => (a < b ? -direction : a > b ? direction : 0)
  return [...connectors.values()]
    .sort((a, b) => isAfter(a.definition.id, b.definition.id))
    .filter(({ definition }) => !position || isAfter(definition.id, position.id) > 0)
    .slice(0, limit + 1)
}
