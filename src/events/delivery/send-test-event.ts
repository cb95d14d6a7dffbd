import { timeOf } from '../../base/clock.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import type { Event } from '../event.schema.ts'
import { showEvent } from '../event.ts'
import { toEndpoint, type WebhookSubscriptionRow } from '../subscriptions/webhook-subscription.store.ts'
import { type AttemptResult, attemptDelivery, toReceiver } from './delivery-attempt.ts'

/**
 * Sends a `webhook-subscription.test` event, also to an inactive subscription: the merchant can try a URL
 * before using it.
 */
export async function sendTestEvent(
  world: World,
  row: WebhookSubscriptionRow,
  account: string,
): Promise<AttemptResult & { event: Event }> {
  const event = showEvent(world, {
    id: world.ids.next(),
    name: 'webhook-subscription.test',
    merchant_account_id: row.merchant_account_id ?? account,
    created_at: timestamp(timeOf(world.clock)),
    sequence: 1,
    target: { type: 'webhook-subscription', id: row.id },
  })
  const result = await attemptDelivery(world, toReceiver(toEndpoint(world, row)), {
    id: event.id,
    body: JSON.stringify(event),
  })
  return { ...result, event }
}
