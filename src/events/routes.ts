import type { Routes } from '../api/routes.ts'
import { webhookDeliveryRoutes } from './delivery/webhook-delivery.routes.ts'
import { eventFeedRoutes } from './feed/event-feed.routes.ts'
import { eventStreamRoutes } from './feed/event-stream.routes.ts'
import { webhookSubscriptionRoutes } from './subscriptions/webhook-subscription.routes.ts'

export const routes: readonly Routes[] = [
  eventFeedRoutes,
  eventStreamRoutes,
  webhookSubscriptionRoutes,
  webhookDeliveryRoutes,
]
