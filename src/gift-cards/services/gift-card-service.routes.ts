import { Type } from 'typebox'
import { invalid, notFound, orNotFound } from '../../api/errors.ts'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import { answerPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { pageQuery, Uuid } from '../../api/schema.ts'
import {
  deleteService,
  findService,
  listServices,
} from '../../configured-services/configured-service.store.ts'
import { settingsAfter } from '../../configured-services/fields.ts'
import { serviceApproval } from '../../configured-services/service-approval.ts'
import type { GiftCardServiceDefinition } from '../../connectors/contract/gift-card-connector.ts'
import { paymentNotifications, signedNotificationUrl } from '../../connectors/wire/signed-notification-url.ts'
import { newestFirstPosition } from '../../database/rows/newest-first.ts'
import type { World } from '../../world.ts'
import {
  ConfiguredGiftCardService,
  ConfiguredGiftCardServices,
  GiftCardServiceCreate,
  GiftCardServiceUpdate,
  GiftCardServiceWebhook,
} from './gift-card-service.schema.ts'
import {
  giftCardServiceKind,
  insertGiftCardService,
  showGiftCardService,
  updateGiftCardService,
} from './gift-card-service.store.ts'

const tags = ['Gift card services']
const params = Type.Object({ gift_card_service_id: Uuid })
const read = { scopes: ['gift-card-services.read'] }
const write = { scopes: ['gift-card-services.write'] }
const approval = serviceApproval({
  type: 'gift-card-service',
  table: 'gift_card_services',
  parameter: 'gift_card_service_id',
  definitions: {
    idMember: 'gift_card_service_definition_id',
    find: ({ giftCardConnectors }, id) => giftCardConnectors.get(id)?.definition,
  },
})

export const giftCardServiceRoutes: Routes = (app, world) => {
  app.get(
    '/gift-card-services',
    {
      config: read,
      schema: {
        operationId: 'list_gift_card_services',
        summary: 'List gift card services',
        description: 'The configured gift card services of the account, the newest first.',
        tags,
        headers,
        querystring: Type.Object(pageQuery()),
        response: { 200: ConfiguredGiftCardServices },
      },
    },
    async ({ query, account }) => {
      const list = `gift-card-services\n${account}`
      return answerPage(world.cipher, list, query, {
        read: (page) => listServices(world, 'gift_card_services', account, page),
        positionOf: newestFirstPosition,
        show: showGiftCardService,
      })
    },
  )

  app.post(
    '/gift-card-services',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'create_gift_card_service',
        summary: 'Create a gift card service',
        description:
          'Configures a gift card service for the account. One of them is active: a second active one is a 409. Secret fields are sealed and never answered.',
        tags,
        headers,
        body: GiftCardServiceCreate,
        response: { 201: ConfiguredGiftCardService },
      },
    },
    async ({ body: { gift_card_service_definition_id, ...input }, account }, reply) => {
      const definition = definitionOf(world, gift_card_service_definition_id)
      const settings = settingsAfter(
        definition,
        { display_name: input.display_name, active: true, values: {} },
        input,
      )
      return reply.code(201).send(await insertGiftCardService(world, account, definition, settings))
    },
  )

  app.get(
    '/gift-card-services/:gift_card_service_id',
    {
      config: read,
      schema: {
        operationId: 'get_gift_card_service',
        summary: 'Get a gift card service',
        description: 'One configured gift card service, without its secret fields.',
        tags,
        headers,
        params,
        response: { 200: ConfiguredGiftCardService },
      },
    },
    async ({ params, account }) =>
      orNotFound(await findService(world, giftCardServiceKind, account, params.gift_card_service_id)),
  )

  app.get(
    '/gift-card-services/:gift_card_service_id/webhook',
    {
      config: write,
      schema: {
        operationId: 'get_gift_card_service_webhook',
        summary: 'Get the webhook URL of a gift card service',
        description:
          'The URL to enter at the provider, for a service that decides reversals and refunds later and tells of them by notifications (`adyen-gift-card`).',
        tags,
        headers,
        params,
        response: { 200: GiftCardServiceWebhook },
      },
    },
    async ({ params, account }) => {
      const { id } = orNotFound(
        await findService(world, giftCardServiceKind, account, params.gift_card_service_id),
      )
      return {
        type: 'gift-card-service-webhook' as const,
        url: signedNotificationUrl(world, paymentNotifications, account, id),
      }
    },
  )

  app.put(
    '/gift-card-services/:gift_card_service_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'update_gift_card_service',
        summary: 'Update a gift card service',
        description:
          'Changes the settings that are named and leaves the others. A field with an empty value is removed.',
        tags,
        headers,
        params,
        body: GiftCardServiceUpdate,
        response: { 200: ConfiguredGiftCardService },
      },
    },
    async ({ params, body, account }) => {
      const service = await updateGiftCardService(
        world,
        account,
        params.gift_card_service_id,
        (definitionId, settings) => {
          const definition = definitionOf(world, definitionId)
          return { definition, settings: settingsAfter(definition, settings, body) }
        },
      )
      if (!service) throw notFound()
      return service
    },
  )

  app.delete(
    '/gift-card-services/:gift_card_service_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'delete_gift_card_service',
        summary: 'Delete a gift card service',
        description: 'It takes no further cards; what was redeemed with it can still be put back.',
        tags,
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, account }, reply) => {
      if (!(await deleteService(world, giftCardServiceKind, account, params.gift_card_service_id)))
        throw notFound()
      return reply.code(204).send(null)
    },
  )
}

function definitionOf({ giftCardConnectors }: World, id: string): GiftCardServiceDefinition {
  const connector = giftCardConnectors.get(id)
  if (!connector) throw invalid({ '/gift_card_service_definition_id': `${id} cannot be configured here` })
  return connector.definition
}
