import { expect, onTestFinished, test } from 'vitest'
import { watch } from '../../../test/support/domains/monitoring.ts'
import { sendLink } from '../../../test/support/domains/payment-links.ts'
import { transactionsReport } from '../../../test/support/domains/reports.ts'
import { openWalletShop } from '../../../test/support/domains/wallet.ts'
import { readEvents } from '../../../test/support/events.ts'
import type { Client } from '../../../test/support/railyard.ts'
import { startReceiver, subscribe } from '../../../test/support/receiver.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const DAY_MS = 86_400_000
const railyard = await startRailyardForFile({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })

async function advance(shop: Client, by: string | number) {
  const answer = await shop.post('/sandbox/clock/advance', { by })
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

const daysAhead = (time: string) => (Date.parse(time) - Date.now()) / DAY_MS

test('an advanced clock applies to its account only', async () => {
  const [shop, other] = [await openShop(railyard), await openShop(railyard)]
  expect(await advance(shop, 'P90D')).toMatchObject({
    type: 'sandbox-clock',
    merchant_account_id: shop.account,
    jobs: {},
  })
  const [later, now] = [
    await (await shop.authorized(12_99)).read(),
    await (await other.authorized(12_99)).read(),
  ]
  expect(daysAhead(later.created_at)).toBeCloseTo(90, 1)
  expect(daysAhead(later.updated_at)).toBeCloseTo(90, 1)
  expect(daysAhead(now.created_at)).toBeCloseTo(0, 1)
  expect(daysAhead((await shop.get('/sandbox/clock')).body.now)).toBeCloseTo(90, 1)
  expect((await other.get('/sandbox/clock')).body).toMatchObject({ ahead_seconds: 0 })
  expect(daysAhead((await readEvents(railyard, shop))[0].created_at)).toBeCloseTo(90, 1)
})

test('a clock is advanced to a time or by a duration, and never goes back', async () => {
  const shop = await openShop(railyard)
  const to = new Date(Date.now() + 3 * DAY_MS).toISOString()
  expect(Date.parse((await shop.post('/sandbox/clock/advance', { to })).body.now)).toBeGreaterThanOrEqual(
    Date.parse(to),
  )
  const before = (await shop.get('/sandbox/clock')).body.ahead_seconds
  const asked = performance.now()
  const { ahead_seconds: ahead } = await advance(shop, 90)
  // it is 90 s after the moment at which the request came
  const tookSeconds = (performance.now() - asked) / 1_000
  expect(ahead).toBeLessThan(before + 90.5)
  expect(ahead).toBeGreaterThan(before + 89.5 - tookSeconds)
  const refused = async (body: unknown) => {
    const { status, body: said } = await shop.post('/sandbox/clock/advance', body)
    return {
      status,
      details: said.details?.map(
        ({ pointer, message }: { pointer: string; message: string }) => `${pointer} ${message}`,
      ),
    }
  }
  expect(await refused({})).toEqual({ status: 400, details: [] })
  expect(await refused({ to, by: 1 })).toEqual({
    status: 400,
    details: ['/by cannot be given where `to` is'],
  })
  expect(await shop.post('/sandbox/clock/advance', { by: 1.5 })).toMatchObject({
    status: 422,
    body: { detail: [{ msg: 'must be integer or string' }] },
  })
  expect(await refused({ to })).toMatchObject({
    status: 400,
    details: [expect.stringMatching(/^\/to the clock stands at .* and does not go back$/)],
  })
  expect(await refused({ by: -1 })).toMatchObject({
    status: 400,
    details: [expect.stringMatching(/does not go back/)],
  })
  expect(await refused({ by: 'a while' })).toMatchObject({
    status: 400,
    details: [expect.stringMatching(/^\/by is neither/)],
  })
  expect(await refused({ by: 'P11Y' })).toMatchObject({
    status: 400,
    details: [expect.stringMatching(/more than 10 years/)],
  })
  for (const by of [1e20, 1e300, 1e305, 1e308, -1e305, -1e308])
    expect(await refused({ by })).toEqual({ status: 400, details: ['/by is not a time that there is'] })
  expect(await refused({ to: 'tomorrow' })).toMatchObject({ status: 422 })
  expect((await shop.get('/sandbox/clock')).body.ahead_seconds).toBeCloseTo(before + 90, 0)
})

test('an approval expires at its time, not before', async () => {
  const shop = await openWalletShop(railyard)
  const asked = await shop.asked(25_00)
  await advance(shop, 'PT30M')
  expect(await asked.read()).toMatchObject({ status: 'buyer_approval_pending' })
  const { jobs } = await advance(shop, 'P1D')
  expect(jobs.operations).toBeGreaterThan(0)
  const { status, error_code, updated_at, created_at } = await asked.read()
  expect({ status, error_code }).toEqual({
    status: 'authorization_failed',
    error_code: 'incomplete_buyer_approval',
  })
  // at its own time, although the clock was advanced by a day
  expect(Date.parse(updated_at) - Date.parse(created_at)).toBeLessThan(0.2 * DAY_MS)
})

test('an authorization expires at the payment service', async () => {
  const shop = await openShop(railyard)
  const payment = await shop.authorized(12_99)
  await advance(shop, 'P40D')
  expect(await payment.capture()).toMatchObject({ body: { status: 'authorization_succeeded' } })
})

test('a payment link expires at its time with an event', async () => {
  const shop = await openShop(railyard)
  const link = await sendLink(railyard, shop)
  const { expires_at } = await link.read()
  await advance(shop, 'P3D')
  const { status, updated_at } = await link.read()
  expect(status).toBe('expired')
  expect(Math.abs(Date.parse(updated_at) - Date.parse(expires_at))).toBeLessThan(60_000)
  expect(await link.eventStatuses()).toEqual(['payment-link.created active', 'payment-link.updated expired'])
  await expect(link.pay()).rejects.toThrow()
})

test('webhooks are retried at their times until the receiver answers, each with a current signature', async () => {
  const receiver = await startReceiver()
  try {
    const shop = await openShop(railyard)
    await subscribe(railyard, shop.account, receiver)
    receiver.answers(503)
    const buyer = await shop.post('/buyers', { display_name: 'Ada' })
    expect(buyer.status).toBe(201)
    await advance(shop, 'PT6H')
    const tries = receiver.received.length
    expect(tries).toBeGreaterThan(3)
    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(1)
    receiver.answers(200)
    await advance(shop, 'P1D')
    expect(receiver.received).toHaveLength(tries + 1)
    for (const { headers } of receiver.received)
      expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(120)
    await advance(shop, 'P7D')
    expect(receiver.received).toHaveLength(tries + 1)
  } finally {
    await receiver.close()
  }
})

test('a weekly report is made each week, in order, with the data of its time', async () => {
  const shop = await openShop(railyard)
  const created = await shop.post(
    '/reports',
    transactionsReport({ schedule: 'weekly', schedule_enabled: true, schedule_timezone: 'Europe/Berlin' }),
  )
  expect(created).toMatchObject({ status: 201 })
  await advance(shop, 'P28D')
  const { items } = (await shop.get(`/reports/${created.body.id}/executions`)).body
  expect(items.map(({ status }: { status: string }) => status)).toEqual([
    'succeeded',
    'succeeded',
    'succeeded',
    'succeeded',
  ])
  const weeks = items
    .map(({ context }: { context: { reference_timestamp: string } }) =>
      Date.parse(context.reference_timestamp),
    )
    .reverse()
  for (const [index, week] of weeks.entries()) if (index > 0) expect(week - weeks[index - 1]).toBe(7 * DAY_MS)
})

test('the payment service’s next report settles captured payments', async () => {
  const shop = await openShop(railyard)
  await enableSettlement(shop)
  const payment = await shop.sold(50_00)
  await advance(shop, 'P2D')
  expect(await payment.read()).toMatchObject({ settled: true })
  expect((await shop.get(`/transactions/${payment.id}/settlements`)).body.items).toHaveLength(1)
})

const enableSettlement = async (shop: Shop) => {
  const header = { 'x-svc-merchant-account-id': shop.account }
  const { status } = await railyard.send('PUT', `/payment-services/${shop.paymentServiceId}`, {
    body: JSON.stringify({ settlement_reporting_enabled: true }),
    headers: {
      authorization: `Bearer ${railyard.admin.token}`,
      'content-type': 'application/json',
      ...header,
    },
  })
  expect(status).toBe(200)
}

test('a metric is sampled each minute while there are payments', async () => {
  const shop = await openShop(railyard)
  const metric = await watch(shop)
  for (let declined = 0; declined < 3; declined++) await shop.pay(200_011)
  const { jobs } = await advance(shop, 'P30D')
  expect(jobs.monitoring).toBeGreaterThan(10)
  expect(jobs.monitoring).toBeLessThan(100)
  expect((await shop.get('/monitoring/incidents')).body.items).toMatchObject([{ metric_id: metric }])
})

test('a sample that another process is taking does not hide those that follow', async () => {
  const shop = await openShop(railyard)
  await watch(shop)
  await shop.pay(200_011)
  const { world } = railyard
  const { run } = world
  const lease = (until: string | null) =>
    run('update monitoring_metrics set leased_until = $2 where merchant_account_id = $1', [
      shop.account,
      until,
    ])
  await lease(new Date(Date.now() + 60_000).toISOString())
  let looks = 0
  world.run = async (sql, values) => {
    const rows = await run<never>(sql, values)
    // the first look comes before the clock moves; the other process gives its lease back after the next one
    if (sql.includes('monitoring_metrics') && sql.includes('leased_until') && ++looks === 2) await lease(null)
    return rows
  }
  onTestFinished(() => {
    world.run = run
  })
  const { jobs } = await advance(shop, 'PT1H')
  expect(looks).toBeGreaterThan(2)
  expect(jobs.monitoring).toBeGreaterThan(50)
})

test('a pending payment is looked up, and the provider’s time has advanced too', async () => {
  const shop = await openShop(railyard)
  const { body } = await shop.pay(540_001)
  expect(body.status).toBe('processing')
  await advance(shop, 'PT1H')
  expect(await shop.payment(body.id).read()).toMatchObject({ status: 'authorization_succeeded' })
})

test('an operation that the payment service decides half a minute later is decided when the clock has passed that time', async () => {
  const shop = await openShop(railyard)
  const { body: authorization } = await shop.pay(540_001)
  expect(authorization.status).toBe('processing')
  const sold = await shop.sold(520_005)
  expect(await sold.refund()).toMatchObject({ body: { status: 'processing' } })
  await advance(shop, 20)
  expect((await shop.payment(authorization.id).read()).status).toBe('processing')
  expect((await advance(shop, 'PT3M')).jobs).toMatchObject({ operations: expect.any(Number) })
  expect((await shop.payment(authorization.id).read()).status).toBe('authorization_succeeded')
  expect(await sold.refunds()).toMatchObject([{ status: 'succeeded' }])
})

test('ninety days without due jobs take one stop', async () => {
  const shop = await openShop(railyard)
  await shop.authorized(12_99)
  expect((await advance(shop, 'P90D')).jobs).toEqual({})
})

test('a checkout session expires at its time', async () => {
  const shop = await openShop(railyard)
  const { body: session } = await shop.post('/checkout/sessions', { amount: 12_99, currency: 'EUR' })
  const enter = () =>
    railyard.send('PUT', `/checkout/sessions/${session.id}/fields`, {
      body: JSON.stringify({
        payment_method: {
          method: 'card',
          number: '4111111111111111',
          expiration_date: '12/35',
          security_code: '123',
        },
      }),
      headers: { 'content-type': 'application/json' },
    })
  await advance(shop, 'PT50M')
  expect((await enter()).status).toBe(204)
  await advance(shop, 'PT20M')
  expect((await enter()).status).toBe(404)
  expect((await shop.get(`/checkout/sessions/${session.id}`)).status).toBe(404)
})

test('an idempotency key expires after a month of the account’s time', async () => {
  const shop = await openShop(railyard)
  const pay = async () => (await shop.pay(12_99, {}, { 'idempotency-key': 'order-1' })).body.id
  const first = await pay()
  await advance(shop, 'P30D')
  expect(await pay()).toBe(first)
  await advance(shop, 'P2D')
  expect(await pay()).not.toBe(first)
})
