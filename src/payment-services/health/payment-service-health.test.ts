import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { booksOf, expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { type Answer, startTestRailyard } from '../../../test/support/railyard.ts'
import { addService, openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import type { FaultItem } from '../../sandbox/faults/fault.schema.ts'

const shops: Shop[] = []
const railyard = await startRailyardForFile({ PROVIDER_TIMEOUT_MS: '1000' })
// from here on circuits are updated only when a test does it
await railyard.health.stop()
afterEach(() => injectFaults(railyard))
afterAll(async () => {
  await recoverFully(railyard)
  for (const shop of shops) await expectBooksMatch(railyard, shop.account)
})

/** A shop with two payment services, `first` being tried first. */
async function openPair(): Promise<Shop & { first: string; second: string }> {
  const shop = await openShop(railyard)
  shops.push(shop)
  return { ...shop, first: shop.paymentServiceId, second: await addService(railyard, shop) }
}

const healthOf = async (shop: Shop, service: string, at = railyard): Promise<Answer['body']> => {
  await at.health.runOnce()
  const { status, body } = await shop.get(`/payment-services/${service}/health`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}
const stateOf = async (shop: Shop, service: string) => (await healthOf(shop, service)).state

const injectFault = (service: string, kind: FaultItem['kind'], more: Partial<FaultItem> = {}) =>
  injectFaults(railyard, { operation: '*', kind, payment_service_id: service, ...more })

const payTimes = (shop: Shop, times: number, amount = 10_00, more = {}) =>
  Promise.all(Array.from({ length: times }, () => shop.pay(amount, more)))

/** Makes the payment service fail until its circuit is open; then it works again. */
async function breakDown(shop: Shop, service: string): Promise<void> {
  await injectFault(service, 'error')
  await payTimes(shop, 5, 10_00, { payment_service_id: service })
  expect(await stateOf(shop, service)).toBe('open')
  await injectFaults(railyard)
}

/**
 * Pays one after the other, updating the circuits after each payment. Answers the payment services that
 * carried them.
 */
async function payInTurn(shop: Shop, times: number): Promise<string[]> {
  const carriers: string[] = []
  for (let index = 0; index < times; index++) {
    carriers.push((await shop.pay(10_00)).body.payment_service.id)
    await railyard.health.runOnce()
    railyard.clock.advance(1_000)
  }
  return carriers
}

const eventsOf = (shop: Shop) =>
  railyard.world.run<{ name: string; target: Record<string, unknown> }>(
    `select name, target from events where merchant_account_id = $1 and name like 'payment-service.%' order by id`,
    [shop.account],
  )
const eventNames = async (shop: Shop) => (await eventsOf(shop)).map(({ name }) => name)

/** How many operations a payment service has booked. */
const booked = async (service: string) =>
  (await booksOf(railyard)).operations.filter(({ payment_service_id }) => payment_service_id === service)
    .length

test.each(['error', 'lost', 'reset', 'malformed', 'empty', 'outage'] as const)(
  'after five answers in a row that are %s, payments go around the payment service',
  async (kind) => {
    const shop = await openPair()
    await injectFault(shop.first, kind)
    const lost = await payTimes(shop, 5)
    expect(lost.map(({ body }) => [body.status, body.payment_service.id])).toEqual(
      Array(5).fill(['processing', shop.first]),
    )
    expect(await healthOf(shop, shop.first)).toMatchObject({
      state: 'open',
      window: { calls: 5, failed: 5, failure_rate: 1 },
    })
    const { body } = await shop.pay(10_00)
    expect(body).toMatchObject({ status: 'authorization_succeeded', payment_service: { id: shop.second } })
    expect(await stateOf(shop, shop.second)).toBe('closed')
  },
)

test('time-outs open a circuit, and the merchant gets one event', async () => {
  const shop = await openPair()
  await injectFault(shop.first, 'delay', { delay_ms: 1_500 })
  await payTimes(shop, 6)
  const health = await healthOf(shop, shop.first)
  expect(Date.parse(health.next_probe_at) - Date.parse(health.since)).toBe(15_000)
  expect(health.window).toMatchObject({ calls: 6, failed: 6, slow: 6 })
  expect(await eventsOf(shop)).toMatchObject([
    {
      name: 'payment-service.unhealthy',
      target: { id: shop.first, type: 'payment-service-health', state: 'open', since: health.since },
    },
  ])
  expect((await shop.pay(10_00)).body.payment_service.id).toBe(shop.second)
})

test('after 15 seconds an open circuit lets one payment at a time through, and after three that succeed all payments', async () => {
  const shop = await openPair()
  await breakDown(shop, shop.first)
  expect(await payInTurn(shop, 1)).toEqual([shop.second])
  railyard.clock.advance(15_000)
  expect(await payInTurn(shop, 3)).toEqual([shop.first, shop.first, shop.first])
  expect(await healthOf(shop, shop.first)).toMatchObject({ state: 'closed', next_probe_at: null })
  expect((await payTimes(shop, 5)).map(({ body }) => body.payment_service.id)).toEqual(
    Array(5).fill(shop.first),
  )
  expect(await stateOf(shop, shop.first)).toBe('closed')
  expect(await eventNames(shop)).toEqual(['payment-service.unhealthy', 'payment-service.healthy'])
})

test('of thirty payments at once only one probes an open circuit, and a second later another one', async () => {
  const shop = await openPair()
  await breakDown(shop, shop.first)
  railyard.clock.advance(15_000)
  const carriers = async () =>
    (await payTimes(shop, 30)).filter(({ body }) => body.payment_service.id === shop.first).length
  expect(await carriers()).toBe(1)
  expect(await healthOf(shop, shop.first)).toMatchObject({ state: 'half_open' })
  const claimed = await railyard.world.run<{ good_probes: number }>(
    'select good_probes from payment_service_circuits where payment_service_id = $1',
    [shop.first],
  )
  expect(claimed).toEqual([{ good_probes: 1 }])
  railyard.clock.advance(1_000)
  expect(await carriers()).toBe(1)
})

test('while a probe is under way, however long it takes, no other payment probes the payment service', async () => {
  const shop = await openPair()
  await breakDown(shop, shop.first)
  railyard.clock.advance(15_000)
  await injectFault(shop.first, 'delay', { delay_ms: 600, times: 1 })
  const probe = shop.pay(10_00)
  await expect.poll(() => healthOf(shop, shop.first)).toMatchObject({ state: 'half_open' })
  railyard.clock.advance(2_000)
  expect((await shop.pay(10_00)).body.payment_service.id).toBe(shop.second)
  expect((await probe).body.payment_service.id).toBe(shop.first)
})

test('a probe that fails keeps the circuit open for twice as long, up to five minutes, and writes no event', async () => {
  const shop = await openPair()
  await breakDown(shop, shop.first)
  const openSeconds: number[] = []
  for (let probe = 0; probe < 6; probe++) {
    const { since, next_probe_at } = await healthOf(shop, shop.first)
    openSeconds.push((Date.parse(next_probe_at) - Date.parse(since)) / 1_000)
    railyard.clock.advance(Date.parse(next_probe_at) - railyard.clock.now())
    await injectFault(shop.first, 'error', { times: 1 })
    expect((await shop.pay(10_00)).body).toMatchObject({
      status: 'processing',
      payment_service: { id: shop.first },
    })
    expect(await stateOf(shop, shop.first)).toBe('open')
    expect((await shop.pay(10_00)).body.payment_service.id).toBe(shop.second)
  }
  expect(openSeconds).toEqual([15, 30, 60, 120, 240, 300])
  expect(await eventNames(shop)).toEqual(['payment-service.unhealthy'])
})

test('slow answers open a circuit, and a slow probe does not close it', async () => {
  const shop = await openPair()
  await injectFault(shop.first, 'delay', { delay_ms: 500 })
  const slow = await payTimes(shop, 20)
  expect(slow.every(({ body }) => body.status === 'authorization_succeeded')).toBe(true)
  expect(await healthOf(shop, shop.first)).toMatchObject({
    state: 'open',
    window: { calls: 20, failed: 0, slow: 20, p50_ms: expect.any(Number) },
  })
  railyard.clock.advance(15_000)
  expect((await shop.pay(10_00)).body.payment_service.id).toBe(shop.first)
  expect(await stateOf(shop, shop.first)).toBe('open')
})

test('declines never open a circuit', async () => {
  const shop = await openPair()
  const declined = await payTimes(shop, 30, 2000_13)
  expect(
    declined.every(
      ({ body }) => body.status === 'authorization_declined' || body.status === 'authorization_failed',
    ),
  ).toBe(true)
  expect(await healthOf(shop, shop.first)).toMatchObject({
    state: 'closed',
    window: { calls: 30, failed: 0, failure_rate: 0 },
  })
})

test('a payment service that fails half of twenty calls gets an open circuit', async () => {
  const shop = await openPair()
  const pay = async (amount: number) => {
    await shop.pay(amount, { payment_service_id: shop.first })
    await shop.pay(10_00, { payment_service_id: shop.first })
  }
  for (let index = 0; index < 9; index++) await pay(3000_13)
  expect(await stateOf(shop, shop.first)).toBe('closed')
  await pay(3000_13)
  expect(await healthOf(shop, shop.first)).toMatchObject({
    state: 'open',
    window: { calls: 20, failed: 10, failure_rate: 0.5 },
  })
})

test('if the circuits of all payment services are open, the first is tried anyway', async () => {
  const shop = await openPair()
  await breakDown(shop, shop.first)
  await breakDown(shop, shop.second)
  const { body } = await shop.pay(10_00)
  expect(body).toMatchObject({ status: 'authorization_succeeded', payment_service: { id: shop.first } })
})

test('a payment service with an open circuit still gets payments that name it, captures and refunds', async () => {
  const shop = await openPair()
  const payment = await shop.authorized(10_00)
  await breakDown(shop, shop.first)
  expect((await payment.capture()).body.status).toBe('capture_succeeded')
  expect((await payment.refund()).body.status).toBe('succeeded')
  const { body } = await shop.pay(10_00, { payment_service_id: shop.first })
  expect(body).toMatchObject({ status: 'authorization_succeeded', payment_service: { id: shop.first } })
})

test('a refused payment is not retried at a payment service with an open circuit until that is due for a probe', async () => {
  const shop = await openPair()
  await breakDown(shop, shop.second)
  const refused = async () => (await shop.pay(3000_13)).body.payment_service.id
  const before = await booked(shop.second)
  expect(await refused()).toBe(shop.first)
  expect(await booked(shop.second)).toBe(before)
  railyard.clock.advance(15_000)
  const carriers = await Promise.all(Array.from({ length: 10 }, refused))
  expect(carriers.filter((carrier) => carrier === shop.second)).toHaveLength(1)
})

test('the health of all payment services is listed in the order of trying, page by page', async () => {
  const shop = await openPair()
  await shop.pay(10_00)
  await breakDown(shop, shop.second)
  const page = await shop.get('/payment-service-health?limit=1')
  expect(page.body.items).toMatchObject([
    { payment_service_id: shop.first, state: 'closed', window: { calls: 1, failed: 0 } },
  ])
  const next = await shop.get(`/payment-service-health?limit=1&cursor=${page.body.next_cursor}`)
  expect(next.body).toMatchObject({
    items: [{ payment_service_id: shop.second, state: 'open' }],
    next_cursor: null,
  })
  expect((await shop.get(`/payment-services?cursor=${page.body.next_cursor}`)).status).toBe(400)
})

test('the circuit of a payment service that was never called is closed since the service was created', async () => {
  const shop = await openPair()
  const { created_at } = (await shop.get(`/payment-services/${shop.second}`)).body
  expect(await healthOf(shop, shop.second)).toEqual({
    type: 'payment-service-health',
    merchant_account_id: shop.account,
    payment_service_id: shop.second,
    state: 'closed',
    since: created_at,
    next_probe_at: null,
    window: {
      seconds: 60,
      calls: 0,
      failed: 0,
      slow: 0,
      failure_rate: null,
      mean_ms: null,
      p50_ms: null,
      p95_ms: null,
    },
  })
  await shop.delete(`/payment-services/${shop.second}`)
  expect((await shop.get(`/payment-services/${shop.second}/health`)).status).toBe(404)
})

test('calls are counted for a minute', async () => {
  const shop = await openPair()
  await payTimes(shop, 3)
  expect((await healthOf(shop, shop.first)).window.calls).toBe(3)
  railyard.clock.advance(60_000)
  await payTimes(shop, 2)
  expect((await healthOf(shop, shop.first)).window.calls).toBe(2)
  // long enough that the rows of the buckets are used again
  railyard.clock.advance(80_000)
  await shop.pay(10_00)
  expect((await healthOf(shop, shop.first)).window.calls).toBe(1)
})

test('a payment service that refuses connections gets an open circuit after five payments', async () => {
  const cutOff = await startTestRailyard({ SANDBOX_URL: 'http://127.0.0.1:9' })
  try {
    const shop = await openShop(cutOff)
    const { body } = await shop.pay(10_00)
    expect(body).toMatchObject({ status: 'authorization_failed', error_code: 'service_network_error' })
    await payTimes(shop, 4)
    expect(await healthOf(shop, shop.paymentServiceId, cutOff)).toMatchObject({
      state: 'open',
      window: { calls: 5, failed: 5 },
    })
  } finally {
    await cutOff.close()
  }
})

test('a payment service that stops answering gets an open circuit before the first payment has timed out', async () => {
  const patient = await startTestRailyard({ PROVIDER_TIMEOUT_MS: '15000' })
  try {
    const shop = await openShop(patient)
    const second = await addService(patient, shop)
    await injectFaults(patient, {
      operation: '*',
      kind: 'delay',
      delay_ms: 2_000,
      payment_service_id: shop.paymentServiceId,
    })
    const waiting = payTimes(shop, 5)
    const calls = () => patient.world.callCounts.get(shop.paymentServiceId)?.waiting.size
    await expect.poll(calls).toBe(5)
    patient.clock.advance(3_001)
    expect(await healthOf(shop, shop.paymentServiceId, patient)).toMatchObject({
      state: 'open',
      window: { calls: 0 },
    })
    expect((await shop.pay(10_00)).body.payment_service.id).toBe(second)
    expect((await waiting).map(({ body }) => body.status)).toEqual(Array(5).fill('authorization_succeeded'))
  } finally {
    await patient.close()
  }
})

describe('a payment that without a payment service with an open circuit would be refused is tried there when', () => {
  const routed = async (shop: Shop, attempts: object[]) => {
    const rule = {
      display_name: 'Token first',
      action: 'route-transaction',
      condition: { all: [] },
      outcome: { attempts },
    }
    expect((await shop.put('/flows/card-transaction/rules', { items: [rule] })).status).toBe(200)
    expect((await shop.post('/flows/card-transaction/rules/publish', {})).status).toBe(200)
  }

  test.each<[what: string, attempts: (first: string, second: string) => object[]]>([
    [
      'a rule names it twice',
      (first) => [
        { payment_service_id: first, instrument: 'network_token' },
        { payment_service_id: first, instrument: 'pan' },
      ],
    ],
    [
      'the other payment service would need a network token, which the card does not have',
      (first, second) => [
        { payment_service_id: second, instrument: 'network_token' },
        { payment_service_id: first },
      ],
    ],
  ])('%s', async (_, attempts) => {
    const shop = await openPair()
    await routed(shop, attempts(shop.first, shop.second))
    await breakDown(shop, shop.first)
    expect((await shop.pay(10_00)).body).toMatchObject({
      status: 'authorization_succeeded',
      payment_service: { id: shop.first },
    })
  })
})
