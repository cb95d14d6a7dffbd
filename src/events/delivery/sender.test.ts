import { setTimeout } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readEvents } from '../../../test/support/events.ts'
import { type Received, startReceiver, subscribe } from '../../../test/support/receiver.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { signWebhook } from './signature.ts'

const railyard = await startRailyardForFile()

const SECOND = 1_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

async function receiver() {
  const started = await startReceiver()
  onTestFinished(started.close)
  return started
}

const names = (received: Received[]) => received.map(({ event }) => event.name)
const feed = (shop: Shop) => readEvents(railyard, shop)

/** Lets time pass and sends the deliveries that become due. */
async function passTime(ms: number) {
  railyard.clock.advance(ms)
  await railyard.sender.runOnce()
}

const deliveriesOf = (id: string) =>
  railyard.world.db
    .selectFrom('webhook_deliveries')
    .select(['id', 'status'])
    .where('webhook_subscription_id', '=', id)
    .execute()

/** Whether the sender serves the queue of this subscription. */
async function isLeased(id: string): Promise<boolean> {
  const queues = railyard.world.db.selectFrom('webhook_queues').select('leased_by')
  const { leased_by } = await queues.where('webhook_subscription_id', '=', id).executeTakeFirstOrThrow()
  return leased_by !== null
}

const createBuyers = (shop: Shop, count: number) =>
  Promise.all(Array.from({ length: count }, () => shop.post('/buyers', {})))

describe('what a webhook subscription receives', () => {
  test('a subscription receives each event with the feed’s event as the body, and its signatures', async () => {
    const shop = await openShop(railyard)
    const shopServer = await receiver()
    const { secret } = await subscribe(railyard, shop.account, shopServer)
    const payment = await shop.authorized(12_00)
    await payment.capture()
    await railyard.sender.runOnce()
    const events = shopServer.received.map(({ event }) => event)
    expect(events).toHaveLength(3)
    expect(events.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      (await feed(shop)).toSorted((a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)),
    )
    for (const { headers, text, event } of shopServer.received) {
      const timestamp = Number(headers['x-svc-webhook-timestamp'])
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^Railyard\/\d/),
        'x-svc-webhook-id': event.id,
        'webhook-id': event.id,
        'x-svc-webhook-signatures': signWebhook(secret, { timestamp, body: text }),
      })
    }
  })

  test('a subscription receives a resource’s events one after the other, in their order', async () => {
    const shop = await openShop(railyard)
    const shopServer = await receiver()
    await subscribe(railyard, shop.account, shopServer)
    const { id } = (await shop.post('/buyers', { display_name: '0' })).body
    for (let name = 1; name <= 20; name++) await shop.put(`/buyers/${id}`, { display_name: String(name) })
    await railyard.sender.runOnce()
    expect(shopServer.received.map(({ event }) => event.sequence)).toEqual(
      Array.from({ length: 21 }, (_, index) => index + 1),
    )
  })

  test('a subscription with a name and a password receives them in each request', async () => {
    const shop = await openShop(railyard)
    const shopServer = await receiver()
    await subscribe(railyard, shop.account, shopServer, { kind: 'basic', username: 'shop', password: 'pass' })
    await shop.post('/buyers', {})
    await railyard.sender.runOnce()
    expect(shopServer.received[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('shop:pass').toString('base64')}`,
    )
  })

  test('a subscription of the instance receives the events of every account, one of an account only its own', async () => {
    const [shop, other, all, one] = [
      await openShop(railyard),
      await openShop(railyard),
      await receiver(),
      await receiver(),
    ]
    await subscribe(railyard, null, all)
    await subscribe(railyard, shop.account, one)
    await createBuyers(shop, 2)
    await createBuyers(other, 3)
    await railyard.sender.runOnce()
    const accounts = all.received.map(({ event }) => event.merchant_account_id)
    expect(accounts.filter((account) => account === shop.account)).toHaveLength(2)
    expect(accounts.filter((account) => account === other.account)).toHaveLength(3)
    expect(one.received.map(({ event }) => event.merchant_account_id)).toEqual([shop.account, shop.account])
  })
})

describe('a receiver that fails or is slow', () => {
  test('a receiver that fails gets the event again later, and only then the resource’s next ones; other resources do not wait', async () => {
    const shop = await openShop(railyard)
    const shopServer = await receiver()
    await subscribe(railyard, shop.account, shopServer)
    const { id } = (await shop.post('/buyers', {})).body
    shopServer.answers(({ event }, reply) => void reply.writeHead(event.target.id === id ? 500 : 204).end())
    await shop.put(`/buyers/${id}`, { display_name: 'Ada' })
    const other = (await shop.post('/buyers', {})).body
    await railyard.sender.runOnce()
    expect(names(shopServer.received.filter(({ event }) => event.target.id === id))).toEqual([
      'buyer.created',
    ])
    expect(names(shopServer.received.filter(({ event }) => event.target.id === other.id))).toEqual([
      'buyer.created',
    ])
    await shop.delete(`/buyers/${id}`)
    await railyard.sender.runOnce()
    expect(shopServer.received).toHaveLength(2)
    shopServer.answers(200)
    await passTime(6 * SECOND)
    expect(names(shopServer.received.filter(({ event }) => event.target.id === id))).toEqual([
      'buyer.created',
      'buyer.created',
      'buyer.updated',
      'buyer.deleted',
    ])
    const ids = shopServer.received
      .filter(({ event }) => event.name === 'buyer.created' && event.target.id === id)
      .map(({ event }) => event.id)
    expect(new Set(ids).size).toBe(1)
  })

  test('a receiver that answers 503 with Retry-After gets no attempt before that time', async () => {
    const shop = await openShop(railyard)
    const shopServer = await receiver()
    await subscribe(railyard, shop.account, shopServer)
    shopServer.answers((_, reply) => void reply.writeHead(503, { 'retry-after': '600' }).end())
    await shop.post('/buyers', {})
    await railyard.sender.runOnce()
    await passTime(500 * SECOND)
    expect(shopServer.received).toHaveLength(1)
    await passTime(101 * SECOND)
    expect(shopServer.received).toHaveLength(2)
  })

  test('a receiver that is down for six days gets every event afterwards, in order', async () => {
    const shop = await openShop(railyard)
    const shopServer = await receiver()
    const subscription = await subscribe(railyard, shop.account, shopServer)
    await shopServer.down()
    const { id } = (await shop.post('/buyers', {})).body
    await createBuyers(shop, 100)
    for (let hour = 0; hour < 6 * 24; hour += 12) {
      await shop.put(`/buyers/${id}`, { display_name: String(hour) })
      await passTime(12 * HOUR)
    }
    const written = await deliveriesOf(subscription.id)
    // a delivery without an attempt takes no row
    expect(written.length).toBeLessThan(60)
    await shopServer.up()
    await passTime(6 * HOUR)
    await passTime(6 * HOUR)
    const events = shopServer.received.map(({ event }) => event)
    expect(new Set(events.map((event) => event.id))).toEqual(
      new Set((await feed(shop)).map((event: { id: string }) => event.id)),
    )
    expect(events.filter((event) => event.target.id === id).map((event) => event.sequence)).toEqual(
      Array.from({ length: 13 }, (_, index) => index + 1),
    )
  })

  test('a receiver that fails for seven days gets no more attempts: its subscription becomes inactive, an event says so, and every event has a failed delivery', async () => {
    const shop = await openShop(railyard)
    const [dead, alive] = [await receiver(), await receiver()]
    const { id } = await subscribe(railyard, shop.account, dead)
    await subscribe(railyard, shop.account, alive)
    dead.answers(500)
    await createBuyers(shop, 20)
    for (let day = 0; day <= 8; day++) {
      await passTime(DAY)
      await shop.post('/buyers', {})
    }
    await railyard.sender.runOnce()
    const disabled = alive.received.filter(({ event }) => event.name === 'webhook-subscription.disabled')
    expect(disabled.map(({ event }) => event.target)).toEqual([
      { type: 'webhook-subscription', id, merchant_account_id: shop.account, url: dead.url, active: false },
    ])
    const sent = dead.received.length
    await passTime(DAY)
    expect(dead.received).toHaveLength(sent)
    const rows = await deliveriesOf(id)
    const all = await feed(shop)
    const before = all.slice(
      0,
      all.findIndex(({ name }: { name: string }) => name === 'webhook-subscription.disabled'),
    )
    expect(before.length).toBeGreaterThan(20)
    expect(rows.map((row) => row.id).sort()).toEqual(before.map((event: { id: string }) => event.id).sort())
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['failed']))
  })

  test('a slow receiver takes no connection from another one at the same host, whose latency begins with its request', async () => {
    const [shop, other, host] = [await openShop(railyard), await openShop(railyard), await receiver()]
    const url = (path: string) => ({ url: `${host.url}/${path}` })
    for (const path of ['one', 'two', 'three']) await subscribe(railyard, shop.account, url(path))
    const { id } = await subscribe(railyard, other.account, url('other'))
    // later, the sender has planned its statements, and needs less than `wait` for them
    await createBuyers(other, 1)
    await railyard.sender.runOnce()
    host.received.splice(0)
    const unanswered: (() => void)[] = []
    host.answers((_, reply) => void unanswered.push(() => reply.writeHead(200).end()))
    await createBuyers(shop, 20)
    await host.hasReceived(32)
    await createBuyers(other, 1)
    await expect.poll(() => isLeased(id), { timeout: 10_000 }).toBe(true)
    const wait = 500
    await setTimeout(wait)
    expect(host.received).toHaveLength(32)
    // one of the three slow subscriptions has waited longer, and each has its turn
    for (const answer of unanswered.splice(0, 4)) answer()
    await host.hasReceived(36)
    expect(host.received.map(({ event }) => event.merchant_account_id)).toContain(other.account)
    host.answers(200)
    for (const answer of unanswered) answer()
    await railyard.sender.runOnce()
    expect(host.received).toHaveLength(61)
    const [delivery] = (await other.get(`/webhook-subscriptions/${id}/deliveries`)).body.items
    expect(delivery).toMatchObject({ status: 'succeeded', attempt_count: 1 })
    expect(delivery.attempts[0].latency_ms).toBeLessThan(wait)
  })

  test('a receiver that does not answer delays no other', async () => {
    const shop = await openShop(railyard)
    const [hanging, alive] = [await receiver(), await receiver()]
    await subscribe(railyard, shop.account, hanging)
    await subscribe(railyard, shop.account, alive)
    const unanswered: (() => void)[] = []
    hanging.answers((_, reply) => void unanswered.push(() => reply.writeHead(200).end()))
    await createBuyers(shop, 20)
    await Promise.all([hanging.hasReceived(16), alive.hasReceived(20)])
    await createBuyers(shop, 1)
    await alive.hasReceived(21)
    expect(hanging.received).toHaveLength(16)
    hanging.answers(200)
    for (const answer of unanswered) answer()
    await railyard.sender.runOnce()
    expect(hanging.received).toHaveLength(21)
  })
})
