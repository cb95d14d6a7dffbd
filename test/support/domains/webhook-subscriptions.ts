import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import {
  endpointOfLeasedQueue,
  insertWebhookSubscription,
} from '../../../src/events/subscriptions/webhook-subscription.store.ts'
import type { TestRailyard } from '../railyard.ts'

export type Merchant = Awaited<ReturnType<TestRailyard['merchant']>>

export const url = 'https://shop.example/hook'

export const basic = { kind: 'basic', username: 'shop', password: 'open sesame' }

export const client = { client_id: 'railyard', client_secret: 'shh', token_url: 'https://shop.example/token' }

export const at = (id: string) => `/webhook-subscriptions/${id}`

export async function createSubscription(merchant: Merchant, more: Record<string, unknown> = {}) {
  const { status, body } = await merchant.post('/webhook-subscriptions', { url, ...more })
  expect({ status, body }).toMatchObject({ status: 201 })
  return body
}

export const refusalOf = ({ status, body }: { status: number; body: { details: { pointer: string }[] } }) => [
  status,
  body.details.map(({ pointer }) => pointer),
]

/** Reads and creates webhook subscriptions past the API. */
export function subscriptionsOf(railyard: TestRailyard) {
  /** A subscription of the whole instance, as `railyard webhooks add` makes it. */
  const createInstanceSubscription = () =>
    insertWebhookSubscription(railyard.world, {
      account: null,
      url,
      active: true,
      authentication: null,
      creator: null,
    })

  /** The endpoint that a sender reads when it has leased the queue. */
  async function endpoint(id: string) {
    const lease = randomUUID()
    await railyard.world.db
      .updateTable('webhook_queues')
      .set({ leased_by: lease })
      .where('webhook_subscription_id', '=', id)
      .execute()
    return endpointOfLeasedQueue(railyard.world, { subscription: id, lease, erasures: 0 })
  }

  const secretsOf = async (id: string) => (await endpoint(id))?.secrets

  return { createInstanceSubscription, endpoint, secretsOf }
}
