import { Type } from 'typebox'
import { invalid, notFound, orNotFound } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import { answerPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { pageQuery, Uuid } from '../api/schema.ts'
import {
  deleteService,
  findService,
  insertService,
  listServices,
  updateService,
} from '../configured-services/configured-service.store.ts'
import { settingsAfter } from '../configured-services/fields.ts'
import { serviceApproval } from '../configured-services/service-approval.ts'
import type { AntiFraudDefinition } from '../connectors/contract/anti-fraud-connector.ts'
import { newestFirstPosition } from '../database/rows/newest-first.ts'
import type { World } from '../world.ts'
import {
  AntiFraudService,
  AntiFraudServiceCreate,
  AntiFraudServices,
  AntiFraudServiceUpdate,
} from './anti-fraud-service.schema.ts'
import {
  type AntiFraudServiceSettings,
  antiFraudServiceKind,
  showAntiFraudService,
} from './anti-fraud-service.store.ts'

const tags = ['Anti-fraud services']
const params = Type.Object({ anti_fraud_service_id: Uuid })
const read = { scopes: ['anti-fraud-services.read'] }
const write = { scopes: ['anti-fraud-services.write'] }
const approval = serviceApproval({
  type: 'anti-fraud-service',
  table: 'anti_fraud_services',
  parameter: 'anti_fraud_service_id',
  definitions: {
    idMember: 'anti_fraud_service_definition_id',
    find: ({ antiFraudConnectors }, id) => antiFraudConnectors.get(id)?.definition,
  },
})

export const antiFraudServiceRoutes: Routes = (app, world) => {
  app.get(
    '/anti-fraud-services',
    {
      config: read,
      schema: {
        operationId: 'list_anti_fraud_services',
        summary: 'List anti-fraud services',
        description: 'The configured anti-fraud services of the account, the newest first.',
        tags,
        headers,
        querystring: Type.Object(pageQuery()),
        response: { 200: AntiFraudServices },
      },
    },
    async ({ query, account }) => {
      const list = `anti-fraud-services\n${account}`
      return answerPage(world.cipher, list, query, {
        read: (page) => listServices(world, 'anti_fraud_services', account, page),
        positionOf: newestFirstPosition,
        show: (row) => showAntiFraudService(world, row),
      })
    },
  )

  app.post(
    '/anti-fraud-services',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'create_anti_fraud_service',
        summary: 'Create an anti-fraud service',
        description:
          'Configures an anti-fraud service for the account. Of several active ones the first is asked, by position, then the oldest. Secret fields are sealed and never answered.',
        tags,
        headers,
        body: AntiFraudServiceCreate,
        response: { 201: AntiFraudService },
      },
    },
    async ({ body: { anti_fraud_service_definition_id, ...input }, account }, reply) => {
      const definition = definitionOf(world, anti_fraud_service_definition_id)
      const settings = applyValidUpdate(
        definition,
        { display_name: input.display_name, active: true, position: null, values: {} },
        input,
      )
      return reply
        .code(201)
        .send(await insertService(world, antiFraudServiceKind, account, definition, settings))
    },
  )

  app.get(
    '/anti-fraud-services/:anti_fraud_service_id',
    {
      config: read,
      schema: {
        operationId: 'get_anti_fraud_service',
        summary: 'Get an anti-fraud service',
        description: 'One configured anti-fraud service, without its secret fields.',
        tags,
        headers,
        params,
        response: { 200: AntiFraudService },
      },
    },
    async ({ params, account }) =>
      orNotFound(await findService(world, antiFraudServiceKind, account, params.anti_fraud_service_id)),
  )

  app.put(
    '/anti-fraud-services/:anti_fraud_service_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'update_anti_fraud_service',
        summary: 'Update an anti-fraud service',
        description:
          'Changes the settings that are named and leaves the others. A field with an empty value is removed.',
        tags,
        headers,
        params,
        body: AntiFraudServiceUpdate,
        response: { 200: AntiFraudService },
      },
    },
    async ({ params, body, account }) => {
      const service = await updateService(
        world,
        antiFraudServiceKind,
        account,
        params.anti_fraud_service_id,
        (definitionId, settings) => {
          const definition = definitionOf(world, definitionId)
          return { definition, settings: applyValidUpdate(definition, settings, body) }
        },
      )
      if (!service) throw notFound()
      return service
    },
  )

  app.delete(
    '/anti-fraud-services/:anti_fraud_service_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'delete_anti_fraud_service',
        summary: 'Delete an anti-fraud service',
        description: 'It is asked about no further payment; what it holds for review it can still decide.',
        tags,
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, account }, reply) => {
      if (!(await deleteService(world, antiFraudServiceKind, account, params.anti_fraud_service_id)))
        throw notFound()
      return reply.code(204).send(null)
    },
  )
}

function definitionOf({ antiFraudConnectors }: World, id: string): AntiFraudDefinition {
  const connector = antiFraudConnectors.get(id)
  if (!connector) throw invalid({ '/anti_fraud_service_definition_id': `${id} cannot be configured here` })
  return connector.definition
}

/** The settings after the update. Throws 400 if they break a rule. */
function applyValidUpdate(
  definition: AntiFraudDefinition,
  settings: AntiFraudServiceSettings,
  update: AntiFraudServiceUpdate,
): AntiFraudServiceSettings {
  return {
    ...settingsAfter(definition, settings, update),
    position: update.position ?? settings.position,
  }
}
