import { describe, expect, onTestFinished, test } from 'vitest'
import { startReceiver, subscribe } from '../../../test/support/receiver.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { deleteOldDeliveries } from './retention.ts'
import { signWebhook } from './signature.ts'
import { webhookBacklog } from './webhook-backlog.ts'
import type { WebhookDelivery } from './webhook-delivery.schema.ts'

const railyard = await startRailyardForFile()

const DAY = 86_400_000
const ALWAYS = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }

/** A shop with a receiver and a subscription for it. */
async function subscribedShop() {
  const shop = await openShop(railyard)
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  const { id, secret } = await subscribe(railyard, shop.account, receiver)
  return { shop, receiver, secret, at: `/webhook-subscriptions/${id}` }
}

const listDeliveries = async (shop: Shop, at: string, query = ''): Promise<WebhookDelivery[]> =>
  (await shop.get(`${at}/deliveries${query}`)).body.items

/** Lets time pass and sends the deliveries that become due. */
async function passTime(ms: number) {
  railyard.clock.advance(ms)
  await railyard.sender.runOnce()
}

describe('the deliveries of a webhook subscription', () => {
  test('a delivery shows its attempts with their times and answers', async () => {
    const { shop, receiver, at } = await subscribedShop()
    receiver.answers((_, reply) => void reply.writeHead(500).end('out of \0order'))
    const buyer = (await shop.post('/buyers', {})).body
    await railyard.sender.runOnce()
    const [waiting] = await listDeliveries(shop, at)
    expect(waiting).toMatchObject({
      type: 'webhook-delivery',
      id: receiver.received[0]?.event.id,
      event_name: 'buyer.created',
      target_id: buyer.id,
      status: 'waiting',
      attempt_count: 1,
      attempts: [
        {
          status_code: 500,
          error: 'answered 500',
          response: 'out of \uFFFDorder',
          latency_ms: expect.any(Number),
        },
      ],
    })
    expect(Date.parse(waiting?.next_attempt_at ?? '')).toBeGreaterThan(railyard.clock.now())
    receiver.answers(204)
    await passTime(6_000)
    const [succeeded] = await listDeliveries(shop, at)
    expect(succeeded).toMatchObject({
      status: 'succeeded',
      attempt_count: 2,
      next_attempt_at: null,
      attempts: [{ status_code: 500 }, { status_code: 204, error: null, response: '' }],
    })
    const one = (await shop.get(`${at}/deliveries/${succeeded?.id}`)).body
    expect(one).toEqual({ ...succeeded, event: receiver.received[0]?.event })
  })

  test('a delivery shows why the receiver could not be reached, and its last 20 attempts', async () => {
    const { shop, receiver, at } = await subscribedShop()
    await receiver.down()
    await shop.post('/buyers', {})
    for (let attempt = 0; attempt < 23; attempt++) await passTime(DAY * 0.28)
    const [delivery] = await listDeliveries(shop, at)
    expect(delivery?.attempt_count).toBeGreaterThan(20)
    expect(delivery?.attempts).toHaveLength(20)
    expect(delivery?.attempts.at(-1)).toMatchObject({
      status_code: null,
      response: null,
      error: expect.stringMatching(/./),
    })
    const times = delivery?.attempts.map((attempt) => attempt.at) ?? []
    expect(times).toEqual(times.toSorted())
    await receiver.up()
  })

  test('deliveries are listed in pages, by status and by event', async () => {
    const { shop, receiver, at } = await subscribedShop()
    receiver.answers(
      ({ event }, reply) => void reply.writeHead(event.name === 'buyer.updated' ? 500 : 200).end(),
    )
    for (let index = 0; index < 3; index++) {
      const { id } = (await shop.post('/buyers', {})).body
      await shop.put(`/buyers/${id}`, { display_name: 'Ada' })
    }
    await railyard.sender.runOnce()
    expect((await listDeliveries(shop, at, '?status=waiting')).map(({ event_name }) => event_name)).toEqual(
      Array(3).fill('buyer.updated'),
    )
    expect(await listDeliveries(shop, at, '?event_name=buyer.created')).toHaveLength(3)
    expect(await listDeliveries(shop, at, '?status=failed')).toEqual([])
    const first = (await shop.get(`${at}/deliveries?limit=4`)).body
    const second = (await shop.get(`${at}/deliveries?limit=4&cursor=${first.next_cursor}`)).body
    expect([...first.items, ...second.items]).toEqual(await listDeliveries(shop, at))
    expect((await shop.get(`${at}/deliveries?status=lost`)).status).toBe(422)
    expect((await shop.get(`${at}/deliveries?status=failed&cursor=${first.next_cursor}`)).status).toBe(400)
  })

  test('deliveries are listed by the resource that they tell of', async () => {
    const { shop, at } = await subscribedShop()
    const [payment, other] = [await shop.sold(10_00), await shop.sold(20_00)]
    const refund = (await payment.refund({ amount: 1_00 })).body
    await railyard.sender.runOnce()
    const told = async (id: string, more = '') =>
      (await listDeliveries(shop, at, `?resource_id=${id}${more}`)).map(({ event_name, target_id }) => [
        event_name,
        target_id,
      ])
    expect(await told(other.id)).toEqual([['transaction.captured', other.id]])
    expect(await told(payment.id.toUpperCase())).toEqual([['transaction.captured', payment.id]])
    expect(await told(refund.id)).toEqual([['refund.succeeded', refund.id]])
    expect(await told(payment.id, '&event_name=transaction.declined')).toEqual([])
    expect(await told('11111111-1111-4111-8111-111111111111')).toEqual([])
    expect((await shop.get(`${at}/deliveries?resource_id=order-1`)).status).toBe(422)
    const all = (await shop.get(`${at}/deliveries?limit=1`)).body
    expect(
      (await shop.get(`${at}/deliveries?resource_id=${payment.id}&cursor=${all.next_cursor}`)).status,
    ).toBe(400)
  })

  test('a delivery shows the answer also when the subscription’s password is empty', async () => {
    const { shop, at } = await subscribedShop()
    expect(
      (await shop.put(at, { authentication: { kind: 'basic', username: 'key', password: '' } })).status,
    ).toBe(200)
    await shop.post('/buyers', {})
    await railyard.sender.runOnce()
    expect((await listDeliveries(shop, at))[0]?.attempts).toMatchObject([
      { status_code: 200, response: 'thanks' },
    ])
  })

  test('the deliveries of another account’s subscription are a 404', async () => {
    const { shop, receiver, at } = await subscribedShop()
    await shop.post('/buyers', {})
    await railyard.sender.runOnce()
    const stranger = await openShop(railyard)
    const id = receiver.received[0]?.event.id
    expect((await stranger.get(`${at}/deliveries`)).status).toBe(404)
    expect((await stranger.get(`${at}/deliveries/${id}`)).status).toBe(404)
    expect((await stranger.post(`${at}/deliveries/${id}/retry`)).status).toBe(404)
    expect((await stranger.post(`${at}/replay`, ALWAYS)).status).toBe(404)
    expect((await stranger.post(`${at}/test`)).status).toBe(404)
    expect((await shop.post(`${at}/deliveries/${stranger.paymentServiceId}/retry`)).status).toBe(404)
  })
})

describe('a delivery that was given up', () => {
  test('a delivery that failed for seven days is kept, and its resource’s next event is sent', async () => {
    const { shop, receiver, at } = await subscribedShop()
    const { id } = (await shop.post('/buyers', {})).body
    receiver.answers(
      ({ event }, reply) =>
        void reply.writeHead(event.target.id === id && event.sequence === 1 ? 400 : 200).end(),
    )
    await railyard.sender.runOnce()
    await passTime(DAY)
    await shop.put(`/buyers/${id}`, { display_name: 'Ada' })
    for (let day = 1; day < 7; day++) {
      await shop.post('/buyers', {})
      await passTime(DAY)
    }
    const failed = await listDeliveries(shop, at, '?status=failed')
    expect(
      failed.map(({ event_name, target_id, next_attempt_at }) => [event_name, target_id, next_attempt_at]),
    ).toEqual([['buyer.created', id, null]])
    expect(receiver.received.filter(({ event }) => event.target.id === id).at(-1)?.event.name).toBe(
      'buyer.updated',
    )
    receiver.answers(200)
    const retried = await shop.post(`${at}/deliveries/${failed[0]?.id}/retry`)
    expect(retried).toMatchObject({ status: 200, body: { status: 'waiting' } })
    await railyard.sender.runOnce()
    expect(receiver.received.at(-1)?.event.id).toBe(failed[0]?.id)
    expect(await listDeliveries(shop, at, '?status=failed')).toEqual([])
  })
})

describe('retry and replay', () => {
  test('the retry of a delivery that succeeded sends it again, under its id', async () => {
    const { shop, receiver, at } = await subscribedShop()
    await shop.post('/buyers', {})
    await railyard.sender.runOnce()
    const id = receiver.received[0]?.event.id
    await shop.post(`${at}/deliveries/${id}/retry`)
    await railyard.sender.runOnce()
    expect(receiver.received.map(({ event }) => event.id)).toEqual([id, id])
    expect(receiver.received[1]?.text).toBe(receiver.received[0]?.text)
  })

  test.each([500, 200])(
    'a retry while the last attempt is in flight sends the delivery again, even if that attempt is answered %d',
    async (status) => {
      const { shop, receiver, at } = await subscribedShop()
      receiver.answers(500)
      await shop.post('/buyers', {})
      await railyard.sender.runOnce()
      const [{ id } = { id: '' }] = await listDeliveries(shop, at)
      railyard.clock.advance(8 * DAY)
      const lastAttempt = Promise.withResolvers<() => void>()
      receiver.answers((_, reply) => lastAttempt.resolve(() => void reply.writeHead(status).end()))
      const round = railyard.sender.runOnce()
      const answer = await lastAttempt.promise
      expect((await shop.post(`${at}/deliveries/${id}/retry`)).body).toMatchObject({ status: 'waiting' })
      receiver.answers(200)
      answer()
      await round
      await railyard.sender.runOnce()
      expect(receiver.received.map(({ event }) => event.id)).toEqual([id, id, id])
      expect(await listDeliveries(shop, at)).toMatchObject([
        {
          status: 'succeeded',
          attempt_count: 3,
          attempts: [{}, { status_code: status }, { status_code: 200 }],
        },
      ])
    },
  )

  test('a replay sends the events of a span of time in order, also those from before the subscription', async () => {
    const { shop, receiver, at } = await subscribedShop()
    const early = await openShop(railyard)
    const { id } = (await early.post('/buyers', {})).body
    for (let name = 0; name < 5; name++) await early.put(`/buyers/${id}`, { display_name: String(name) })
    const latecomer = await startReceiver()
    onTestFinished(latecomer.close)
    const subscription = await subscribe(railyard, early.account, latecomer)
    expect((await early.post(`/webhook-subscriptions/${subscription.id}/replay`, ALWAYS)).body).toEqual({
      type: 'webhook-replay',
      count: 6,
    })
    await railyard.sender.runOnce()
    expect(latecomer.received.map(({ event }) => event.sequence)).toEqual([1, 2, 3, 4, 5, 6])

    await shop.post('/buyers', {})
    await shop.sold(5_00)
    await railyard.sender.runOnce()
    const before = receiver.received.length
    const replay = await shop.post(`${at}/replay`, { ...ALWAYS, event_names: ['buyer.created'] })
    expect(replay.body.count).toBe(1)
    expect(
      (await shop.post(`${at}/replay`, { from: ALWAYS.from, to: '2020-01-02T00:00:00Z' })).body.count,
    ).toBe(0)
    await railyard.sender.runOnce()
    expect(receiver.received.slice(before).map(({ event }) => event.name)).toEqual(['buyer.created'])
  })

  test('a replay sends an earlier event of a resource before its delivery that waits', async () => {
    const { shop, receiver, at } = await subscribedShop()
    const { id } = (await shop.post('/buyers', {})).body
    await railyard.sender.runOnce()
    receiver.answers(500)
    await shop.put(`/buyers/${id}`, { display_name: 'Ada' })
    await railyard.sender.runOnce()
    receiver.answers(200)
    await shop.post(`${at}/replay`, ALWAYS)
    await railyard.sender.runOnce()
    expect(receiver.received.map(({ event }) => event.sequence)).toEqual([1, 2, 1, 2])
    expect((await listDeliveries(shop, at)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
  })

  test('a replay whose span ends before it begins is refused', async () => {
    const { shop, at } = await subscribedShop()
    expect((await shop.post(`${at}/replay`, { from: ALWAYS.to, to: ALWAYS.from })).status).toBe(400)
    expect((await shop.post(`${at}/replay`, { from: 'yesterday', to: ALWAYS.to })).status).toBe(422)
  })
})

describe('a test event', () => {
  test('a test event is sent at once with its signatures; the request shows the answer, and nothing is stored', async () => {
    const { shop, receiver, secret, at } = await subscribedShop()
    receiver.answers((_, reply) => void reply.writeHead(418).end('a teapot'))
    const { status, body } = await shop.post(`${at}/test`)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        type: 'webhook-test',
        succeeded: false,
        attempt: { status_code: 418, response: 'a teapot' },
        event: { name: 'webhook-subscription.test', created_at: expect.stringMatching(/\.\d{6}\+00:00$/) },
      },
    })
    const [{ headers, text, event }] = receiver.received as [(typeof receiver.received)[number]]
    expect(event).toEqual(body.event)
    const timestamp = Number(headers['x-svc-webhook-timestamp'])
    expect(headers['x-svc-webhook-signatures']).toBe(signWebhook(secret, { timestamp, body: text }))
    expect(await listDeliveries(shop, at)).toEqual([])
    receiver.answers(200)
    expect((await shop.post(`${at}/test`)).body.succeeded).toBe(true)
  })
})

test('a delivery that succeeded is deleted after 30 days, one that failed never', async () => {
  const { shop, receiver, at } = await subscribedShop()
  const { id } = (await shop.post('/buyers', {})).body
  receiver.answers(({ event }, reply) => void reply.writeHead(event.target.id === id ? 400 : 200).end())
  for (let day = 0; day < 8; day++) {
    await shop.post('/buyers', {})
    await passTime(DAY)
  }
  expect(await listDeliveries(shop, at)).toHaveLength(9)
  railyard.clock.advance(31 * DAY)
  await deleteOldDeliveries(railyard.world)
  expect((await listDeliveries(shop, at)).map(({ status, target_id }) => [status, target_id])).toEqual([
    ['failed', id],
  ])
})

test('the backlog counts the active subscriptions whose receivers are down', async () => {
  const { shop, receiver, at } = await subscribedShop()
  const backlog = () => webhookBacklog(railyard.world)
  const { resting } = await backlog()
  receiver.answers(500)
  for (let index = 0; index < 40; index++) await shop.post('/buyers', {})
  await railyard.sender.runOnce()
  expect((await backlog()).resting).toBe(resting + 1)
  await shop.put(at, { active: false })
  expect((await backlog()).resting).toBe(resting)
})

test('a deleted subscription’s waiting deliveries become failed and leave the backlog', async () => {
  const { shop, receiver, at } = await subscribedShop()
  receiver.answers(500)
  const before = await webhookBacklog(railyard.world)
  await shop.post('/buyers', {})
  await railyard.sender.runOnce()
  const [{ id } = { id: '' }] = await listDeliveries(shop, at, '?status=waiting')
  expect((await webhookBacklog(railyard.world)).waiting).toBe(before.waiting + 1)
  expect((await shop.delete(at)).status).toBe(204)
  const { waiting, failed } = await webhookBacklog(railyard.world)
  expect({ waiting, failed }).toEqual({ waiting: before.waiting, failed: before.failed })
  const kept = await railyard.world.db
    .selectFrom('webhook_deliveries')
    .select(['status', 'due_at'])
    .where('id', '=', id)
    .execute()
  expect(kept).toEqual([{ status: 'failed', due_at: null }])
})

test('an attempt in flight while its subscription is deleted leaves no waiting delivery', async () => {
  const { shop, receiver, at } = await subscribedShop()
  const received = Promise.withResolvers<() => void>()
  receiver.answers((_, reply) => received.resolve(() => void reply.writeHead(500).end()))
  await shop.post('/buyers', {})
  const round = railyard.sender.runOnce()
  const answer = await received.promise
  await shop.delete(at)
  answer()
  await round
  const id = receiver.received[0]?.event.id
  const waiting = await railyard.world.db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('id', '=', id)
    .where('status', '=', 'waiting')
    .execute()
  expect(waiting).toEqual([])
})
