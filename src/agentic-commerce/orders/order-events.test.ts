import { createHmac } from 'node:crypto'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../../test/contracts/contract.ts'
import {
  type AgentPlatform,
  openAgentPlatform,
  startMerchant,
} from '../../../test/support/domains/agentic-commerce.ts'
import { type Received, startReceiver, subscribe } from '../../../test/support/receiver.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const merchant = await startMerchant()
const checks = contract('acp-order-events')
const secret = 'a secret of the platform'
afterAll(() => merchant.close())

/** A merchant who sells through a platform that is told of orders. */
async function openSeller() {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const shop = await openShop(railyard)
  const { body: seller } = await shop.put('/agentic-seller', {
    pricing_url: merchant.url,
    order_events: { url: receiver.url, secret },
  })
  return { shop, receiver, seller, platform: openAgentPlatform(railyard, shop) }
}

async function completed(platform: AgentPlatform, shop: Shop) {
  const id = await platform.created()
  const answer = await platform.complete(id, await platform.tokenFor(id))
  const { items } = (await shop.get('/transactions')).body
  return { id, order: answer.body.order, payment: shop.payment(items[0].id) }
}

/** What the protocol's document says against an order event; empty: nothing. */
const violations = ({ headers, event }: Received) =>
  checks.request({
    method: 'POST',
    path: '/agentic_checkout/webhooks/order_events',
    headers: headers as Record<string, string>,
    body: event,
  })

const typesOf = (received: readonly Received[]) => received.map(({ event }) => event.type)

test('a platform is told of a new order and of each change, signed, and of nothing else', async () => {
  const { shop, receiver, platform } = await openSeller()
  await shop.sold(7_00)
  const { id, order, payment } = await completed(platform, shop)
  await railyard.sender.runOnce()
  expect(typesOf(receiver.received)).toEqual(['order_create'])
  await payment.refund({ amount: 5_00 })
  await railyard.sender.runOnce()
  await payment.refundAll()
  await railyard.sender.runOnce()
  expect(typesOf(receiver.received)).toEqual(['order_create', 'order_update', 'order_update'])
  expect(receiver.received.flatMap(violations)).toEqual([])
  const [first, second, third] = receiver.received.map(({ event }) => event.data)
  expect(first).toEqual(order)
  expect(second).toMatchObject({
    checkout_session_id: id,
    status: 'confirmed',
    adjustments: [{ type: 'refund', status: 'completed', amount: 5_00, currency: 'eur' }],
  })
  expect(third).toMatchObject({ status: 'canceled', adjustments: [{}, {}] })
  for (const { headers, text } of receiver.received) {
    const [, timestamp, signature] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(`${headers['merchant-signature']}`) ?? []
    expect(signature).toBe(createHmac('sha256', secret).update(`${timestamp}.${text}`).digest('hex'))
    expect(headers['webhook-signature']).toBeUndefined()
  }
})

test('a merchant’s own webhooks stay as they are beside the platform’s', async () => {
  const { shop, receiver, platform } = await openSeller()
  const own = await startReceiver()
  onTestFinished(() => own.close())
  await subscribe(railyard, shop.account, own)
  await completed(platform, shop)
  await railyard.sender.runOnce()
  expect(own.received.map(({ event }) => event.name)).toContain('transaction.captured')
  expect(typesOf(receiver.received)).toEqual(['order_create'])
})

test('events that a receiver did not take are sent again, each order in its order, with the state that it has by then', async () => {
  const { shop, receiver, platform, seller } = await openSeller()
  receiver.answers(500)
  const { payment } = await completed(platform, shop)
  await railyard.sender.runOnce()
  await payment.refund({ amount: 5_00 })
  await railyard.sender.runOnce()
  expect(typesOf(receiver.received)).toEqual(['order_create'])
  receiver.answers(200)
  railyard.clock.advance(60_000)
  await railyard.sender.runOnce()
  railyard.clock.advance(60_000)
  await railyard.sender.runOnce()
  expect(typesOf(receiver.received)).toEqual(['order_create', 'order_create', 'order_update'])
  expect(receiver.received[1]?.event.data.adjustments).toMatchObject([{ amount: 5_00 }])
  const at = `/webhook-subscriptions/${seller.order_events.webhook_subscription_id}/deliveries`
  const { items } = (await shop.get(at)).body
  expect(items.map(({ status }: { status: string }) => status)).toEqual(['succeeded', 'succeeded'])
  expect((await shop.post(`${at}/${items[0].id}/retry`)).status).toBe(200)
  await railyard.sender.runOnce()
  expect(receiver.received).toHaveLength(4)
})

test('an authorization and its capture are a new order and a change', async () => {
  const { shop, receiver, platform } = await openSeller()
  await shop.put('/agentic-seller', { pricing_url: merchant.url, intent: 'authorize' })
  const { payment } = await completed(platform, shop)
  await payment.capture()
  await railyard.sender.runOnce()
  expect(typesOf(receiver.received)).toEqual(['order_create', 'order_update'])
})

test('a checkout that is declined, canceled or not completed is no order', async () => {
  const { receiver, platform } = await openSeller()
  await platform.cancel(await platform.created())
  await platform.created()
  await railyard.sender.runOnce()
  expect(receiver.received).toEqual([])
})

test('a merchant reads, changes and ends how orders are sent, and secrets go to their own server only', async () => {
  const { shop, receiver, seller, platform } = await openSeller()
  expect(seller).toMatchObject({
    type: 'agentic-seller',
    pricing_url: merchant.url,
    secret: expect.stringMatching(/^[\w-]{86}$/),
    intent: 'capture',
    order_events: { url: receiver.url, active: true },
  })
  expect(JSON.stringify(seller)).not.toContain(secret)
  expect((await shop.get('/webhook-subscriptions')).body.items).toEqual([])
  const subscription = `/webhook-subscriptions/${seller.order_events.webhook_subscription_id}`
  for (const answer of [
    await shop.get(subscription),
    await shop.put(subscription, { url: 'https://attacker.example' }),
    await shop.delete(subscription),
    await shop.post(`${subscription}/rotate-secret`, {}),
    await shop.post(`${subscription}/test`),
  ])
    expect(answer.status).toBe(404)
  const moved = await shop.put('/agentic-seller', {
    pricing_url: merchant.url,
    order_events: { url: 'https://attacker.example/' },
  })
  expect(moved).toMatchObject({ status: 400, body: { details: [{ pointer: '/order_events/secret' }] } })
  expect((await shop.put('/agentic-seller', { pricing_url: merchant.url })).body).toMatchObject({
    secret: seller.secret,
    order_events: { url: receiver.url },
  })
  const ended = await shop.put('/agentic-seller', { pricing_url: merchant.url, order_events: null })
  expect(ended.body.order_events).toBeNull()
  await completed(platform, shop)
  await railyard.sender.runOnce()
  expect(receiver.received).toEqual([])
  expect((await shop.delete('/agentic-seller')).status).toBe(204)
  expect((await shop.get('/agentic-seller')).status).toBe(404)
  expect((await shop.delete('/agentic-seller')).status).toBe(404)
  expect((await platform.create()).status).toBe(404)
})

test.each([
  'http://shop.example/price',
  'ftp://shop.example',
  'https://me:pw@shop.example',
  '',
  'https://169.254.169.254/',
])('%j is refused as an endpoint that prices carts', async (url) => {
  const shop = await openShop(railyard)
  expect(await shop.put('/agentic-seller', { pricing_url: url })).toMatchObject({
    status: 400,
    body: { details: [{ pointer: '/pricing_url' }] },
  })
})

test('a receiver that fails for seven days is told of no more orders, and only orders are kept as failed', async () => {
  const { shop, receiver, platform, seller } = await openSeller()
  receiver.answers(500)
  await completed(platform, shop)
  for (let attempt = 0; attempt < 16; attempt++) {
    await railyard.sender.runOnce()
    railyard.clock.advance(12 * 3_600_000)
  }
  await railyard.sender.runOnce()
  expect((await shop.get('/agentic-seller')).body.order_events.active).toBe(false)
  const at = `/webhook-subscriptions/${seller.order_events.webhook_subscription_id}/deliveries`
  const { items } = (await shop.get(at)).body
  expect(items.map(({ status }: { status: string }) => status)).toEqual(['failed'])
})

test('an order that cannot be shown holds up no other order, and is sent once it can be shown', async () => {
  const { shop, receiver, platform, seller } = await openSeller()
  receiver.answers(500)
  const first = await completed(platform, shop)
  const second = await completed(platform, shop)
  await railyard.sender.runOnce()
  const setOrderOfFirst = (order: string | null) =>
    railyard.world.db.updateTable('agentic_checkouts').set({ order }).where('id', '=', first.id).execute()
  await setOrderOfFirst(null)
  receiver.answers(200)
  receiver.received.length = 0
  const sendDue = async () => {
    railyard.clock.advance(60_000)
    await railyard.sender.runOnce()
    return receiver.received.map(({ event }) => event.data.checkout_session_id)
  }
  expect(await sendDue()).toEqual([second.id])
  const at = `/webhook-subscriptions/${seller.order_events.webhook_subscription_id}/deliveries`
  expect((await shop.get(at)).body.items).toMatchObject([
    { status: 'succeeded' },
    { status: 'waiting', attempts: [{}, { status_code: null, error: 'could not be sent' }] },
  ])
  await setOrderOfFirst(JSON.stringify(first.order))
  expect(await sendDue()).toEqual([second.id, first.id])
})
