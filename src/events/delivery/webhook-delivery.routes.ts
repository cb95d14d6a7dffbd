import { Type } from 'typebox'
import type { Caller } from '../../api/auth/caller.ts'
import { invalid, notFound, orNotFound } from '../../api/errors.ts'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import { answerPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { Nullable, Parameter, pageQuery, Text, Uuid } from '../../api/schema.ts'
import { readFromReplica } from '../../database/replicas/read-from-replica.ts'
import { newestFirstPosition } from '../../database/rows/newest-first.ts'
import { showEvents } from '../event.ts'
import { findOrderSubscription } from '../subscriptions/order-subscription.store.ts'
import {
  findWebhookSubscription,
  type WebhookSubscriptionRow,
} from '../subscriptions/webhook-subscription.store.ts'
import { subscriptionsVisibleTo } from '../subscriptions/webhook-subscription.ts'
import { sendTestEvent } from './send-test-event.ts'
import { showAttempt, showDelivery } from './webhook-delivery.representation.ts'
import {
  WebhookDeliveries,
  WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookDeliveryWithEvent,
  WebhookReplay,
  WebhookReplayCreate,
  WebhookTest,
} from './webhook-delivery.schema.ts'
import {
  eventOfDelivery,
  findDelivery,
  listDeliveries,
  replayEvents,
  retryDelivery,
} from './webhook-delivery.store.ts'

const tags = ['Webhook deliveries']
const params = Type.Object({ subscription_id: Uuid })
const deliveryParams = Type.Object({ subscription_id: Uuid, delivery_id: Uuid })
const read = { scopes: ['webhook-subscriptions.read'] }
const write = { scopes: ['webhook-subscriptions.write'] }

export const webhookDeliveryRoutes: Routes = (app, world) => {
  async function subscriptionOf(
    caller: Caller,
    account: string,
    id: string,
  ): Promise<WebhookSubscriptionRow> {
    return orNotFound(await findWebhookSubscription(world, subscriptionsVisibleTo(caller, account), id))
  }

  /** Deliveries of orders are read and retried like others. */
  async function subscriptionOfAnyForm(
    caller: Caller,
    account: string,
    id: string,
  ): Promise<WebhookSubscriptionRow> {
    const orders = await findOrderSubscription(world.db, account)
    return orders?.id === id ? orders : subscriptionOf(caller, account, id)
  }

  app.get(
    '/webhook-subscriptions/:subscription_id/deliveries',
    {
      config: read,
      schema: {
        operationId: 'list_webhook_deliveries',
        summary: 'List webhook deliveries',
        description:
          'The deliveries of a subscription and those that are planned, the newest event first. `status=failed` lists deliveries that were given up; they are kept for ever. Successful deliveries are listed for 30 days.',
        tags,
        headers,
        params,
        querystring: Type.Object({
          ...pageQuery(),
          status: Type.Optional(Nullable(WebhookDeliveryStatus)),
          event_name: Parameter(Text(1, 100), 'e.g. `transaction.captured`'),
          resource_id: Parameter(
            Uuid,
            'The resource that the events are about, such as a transaction or a refund',
          ),
        }),
        response: { 200: WebhookDeliveries },
      },
    },
    async ({ query, params, account, caller }) => {
      const { id } = await subscriptionOfAnyForm(caller, account, params.subscription_id)
      const { status = null, event_name: eventName = null, resource_id: resourceId = null } = query
      const list = JSON.stringify(['webhook-deliveries', id, status, eventName, resourceId])
      return answerPage(world.cipher, list, query, {
        read: (page) =>
          readFromReplica(world, (replica) =>
            listDeliveries(replica, id, { status, eventName, resourceId }, page),
          ),
        positionOf: newestFirstPosition,
        show: showDelivery,
      })
    },
  )

  app.get(
    '/webhook-subscriptions/:subscription_id/deliveries/:delivery_id',
    {
      config: read,
      schema: {
        operationId: 'get_webhook_delivery',
        summary: 'Get a webhook delivery',
        description: 'The delivery of an event to a subscription, with the event as it is sent.',
        tags,
        headers,
        params: deliveryParams,
        response: { 200: WebhookDeliveryWithEvent },
      },
    },
    async ({ params, account, caller }) => {
      const { id } = await subscriptionOfAnyForm(caller, account, params.subscription_id)
      const row = await findDelivery(world, id, params.delivery_id)
      const found = row && (await eventOfDelivery(world, row))
      const [event] = found ? await showEvents(world, [found]) : []
      if (!row || !event) throw notFound()
      return { ...showDelivery(row), event }
    },
  )

  app.post(
    '/webhook-subscriptions/:subscription_id/deliveries/:delivery_id/retry',
    {
      config: write,
      schema: {
        operationId: 'retry_webhook_delivery',
        summary: 'Retry a webhook delivery',
        description:
          'Sends an event again, with the same id, as soon as earlier waiting events of its resource are sent. The status of the delivery does not matter. It is tried for another seven days.',
        tags,
        headers,
        params: deliveryParams,
        response: { 200: WebhookDelivery },
      },
    },
    async ({ params, account, caller }) => {
      const { id } = await subscriptionOfAnyForm(caller, account, params.subscription_id)
      return showDelivery(orNotFound(await retryDelivery(world, id, params.delivery_id)))
    },
  )

  app.post(
    '/webhook-subscriptions/:subscription_id/replay',
    {
      config: write,
      schema: {
        operationId: 'replay_webhook_events',
        summary: 'Replay events to a webhook subscription',
        description:
          'Sends the events of a span of time again, with the same ids and in order, also those from before the subscription was created. While a subscription is inactive, they wait.',
        tags,
        headers,
        params,
        body: WebhookReplayCreate,
        response: { 200: WebhookReplay },
      },
    },
    async ({ params, body: { from, to, event_names: names }, account, caller }) => {
      const subscription = await subscriptionOf(caller, account, params.subscription_id)
      if (Date.parse(from) > Date.parse(to)) throw invalid({ '/to': 'must not lie before from' })
      const count = await replayEvents(world, subscription, { from, to, names: names?.length ? names : null })
      return { type: 'webhook-replay' as const, count }
    },
  )

  app.post(
    '/webhook-subscriptions/:subscription_id/test',
    {
      config: write,
      schema: {
        operationId: 'test_webhook_subscription',
        summary: 'Send a test event to a webhook subscription',
        description:
          'Sends `webhook-subscription.test` at once, signed like every other event, and returns the answer of the receiver. The event is neither kept nor sent again.',
        tags,
        headers,
        params,
        response: { 200: WebhookTest },
      },
    },
    async ({ params, account, caller }) => {
      const subscription = await subscriptionOf(caller, account, params.subscription_id)
      const { succeeded, event, attempt } = await sendTestEvent(world, subscription, account)
      return { type: 'webhook-test' as const, succeeded, event, attempt: showAttempt(attempt) }
    },
  )
}
