import { Type } from 'typebox'
import { invalid, notFound, orNotFound } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import { answerPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { Nullable, pageQuery, Uuid } from '../api/schema.ts'
import { throwProblems } from '../api/throw-problems.ts'
import { timeOf } from '../base/clock.ts'
import {
  deleteService,
  findService,
  insertService,
  updateService,
} from '../configured-services/configured-service.store.ts'
import { serviceApproval } from '../configured-services/service-approval.ts'
import type { Definition } from '../connectors/contract/connector.ts'
import { Method } from '../connectors/contract/method.schema.ts'
import type { World } from '../world.ts'
import {
  PaymentService,
  PaymentServiceCreate,
  PaymentServices,
  PaymentServiceUpdate,
} from './payment-service.schema.ts'
import {
  cursorPositionOf,
  listPaymentServices,
  paymentServiceKind,
  toPaymentService,
} from './payment-service.store.ts'
import {
  applyUpdate,
  newServiceSettings,
  type PaymentServiceSettings,
  settingsProblems,
} from './payment-service.ts'

const tags = ['Payment services']
const params = Type.Object({ payment_service_id: Uuid })
const read = { scopes: ['payment-services.read'] }
const write = { scopes: ['payment-services.write'] }
const approval = serviceApproval({
  type: 'payment-service',
  table: 'payment_services',
  parameter: 'payment_service_id',
  definitions: {
    idMember: 'payment_service_definition_id',
    find: ({ connectors }, id) => connectors.get(id)?.definition,
  },
})

export const paymentServiceRoutes: Routes = (app, world) => {
  app.get(
    '/payment-services',
    {
      config: read,
      schema: {
        operationId: 'list_payment_services',
        summary: 'List payment services',
        description:
          'The configured payment services of the account, in the order in which they are tried; of the same position the newest first.',
        tags,
        headers,
        querystring: Type.Object({
          ...pageQuery(),
          method: Type.Optional(Nullable(Method)),
          deleted: Type.Optional({ ...Nullable(Type.Boolean()), default: false }),
        }),
        response: { 200: PaymentServices },
      },
    },
    async ({ query, account }) => {
      const filter = { method: query.method ?? null, deleted: query.deleted ?? false }
      const list = ['payment-services', account, filter.method, filter.deleted].join('\n')
      return answerPage(world.cipher, list, query, {
        read: (page) => listPaymentServices(world, account, filter, page),
        positionOf: cursorPositionOf,
        show: (row) => toPaymentService(world, row),
      })
    },
  )

  app.post(
    '/payment-services',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'create_payment_service',
        summary: 'Create a payment service',
        description:
          'Configures a payment service for the account. Secret fields are sealed and never answered.',
        tags,
        headers,
        body: PaymentServiceCreate,
        response: { 201: PaymentService },
      },
    },
    async ({ body: { payment_service_definition_id, ...input }, account }, reply) => {
      const definition = definitionOf(world, payment_service_definition_id)
      const settings = applyValidUpdate(world, definition, newServiceSettings(definition), input)
      return reply
        .code(201)
        .send(await insertService(world, paymentServiceKind, account, definition, settings))
    },
  )

  app.get(
    '/payment-services/:payment_service_id',
    {
      config: read,
      schema: {
        operationId: 'get_payment_service',
        summary: 'Get a payment service',
        description: 'One configured payment service, without its secret fields.',
        tags,
        headers,
        params,
        response: { 200: PaymentService },
      },
    },
    async ({ params, account }) =>
      orNotFound(await findService(world, paymentServiceKind, account, params.payment_service_id)),
  )

  app.put(
    '/payment-services/:payment_service_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'update_payment_service',
        summary: 'Update a payment service',
        description:
          'Changes the settings that are named and leaves the others. A field with an empty value is removed.',
        tags,
        headers,
        params,
        body: PaymentServiceUpdate,
        response: { 200: PaymentService },
      },
    },
    async ({ params, body, account }) => {
      const service = await updateService(
        world,
        paymentServiceKind,
        account,
        params.payment_service_id,
        (definitionId, settings) => {
          const definition = definitionOf(world, definitionId)
          return { definition, settings: applyValidUpdate(world, definition, settings, body) }
        },
      )
      if (!service) throw notFound()
      return service
    },
  )

  app.delete(
    '/payment-services/:payment_service_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'delete_payment_service',
        summary: 'Delete a payment service',
        description:
          'It takes no further payments; those that it has taken can still be captured and refunded.',
        tags,
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, account }, reply) => {
      if (!(await deleteService(world, paymentServiceKind, account, params.payment_service_id)))
        throw notFound()
      return reply.code(204).send(null)
    },
  )
}

function definitionOf({ connectors }: World, id: string): Definition {
  const connector = connectors.get(id)
  if (!connector)
    throw invalid({ '/payment_service_definition_id': `${id} is not the id of a payment service definition` })
  return connector.definition
}

/** The settings after the update. Throws 400 if they break a rule. */
function applyValidUpdate(
  world: World,
  definition: Definition,
  settings: PaymentServiceSettings,
  update: PaymentServiceUpdate,
): PaymentServiceSettings {
  const updated = applyUpdate(settings, update, timeOf(world.clock))
  throwProblems(settingsProblems(definition, update, updated))
  return updated
}
