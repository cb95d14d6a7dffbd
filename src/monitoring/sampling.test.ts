import { beforeEach, expect, test } from 'vitest'
import { watch } from '../../test/support/domains/monitoring.ts'
import { advanceToNextMinute } from '../../test/support/railyard.ts'
import { startReceiver, subscribe } from '../../test/support/receiver.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { waitUntilReadable } from '../database/logs/event-log.ts'
import { startMonitoring, takeSamples } from './sampling.ts'

const MINUTE_MS = 60_000
let shop: Shop
const railyard = await startRailyardForFile()
// only the tests take samples
await railyard.monitoring.stop()
beforeEach(async () => {
  advanceToNextMinute(railyard.clock)
  // removes the metrics of the other tests
  await railyard.world.db.deleteFrom('monitoring_metrics').execute()
  shop = await openShop(railyard)
})

const DECLINED = 200_011

const pay = (...amounts: number[]) => Promise.all(amounts.map((amount) => shop.pay(amount)))

/** Lets a minute pass, and takes the sample of each metric that is due then. */
async function passMinute(): Promise<number> {
  railyard.clock.advance(MINUTE_MS)
  return takeSamples(railyard.world)
}
const passMinutes = async (count: number) => {
  for (let minute = 0; minute < count; minute += 1) await passMinute()
}

const samples = async (metric: string) => {
  const { status, body } = await shop.get(
    `/monitoring/metrics/${metric}?samples_timestamp_interval=PT24H/now`,
  )
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.samples_view
}
const values = async (metric: string) =>
  (await samples(metric)).map(({ value }: { value: number | null }) => value)
const incidents = async (metric: string) =>
  (await shop.get(`/monitoring/metrics/${metric}/incidents`)).body.items
async function monitoringEvents() {
  await waitUntilReadable(railyard.world)
  return (await shop.get('/events')).body.items.filter(({ name }: { name: string }) =>
    name.startsWith('monitoring.'),
  )
}

test('a sample is the share of the window’s payments that were authorized, at a whole minute', async () => {
  const metric = await watch(shop)
  await pay(10_00, 20_00, 30_00, DECLINED)
  await passMinute()
  expect(await samples(metric)).toEqual([
    {
      timestamp: expect.stringMatching(/T\d\d:\d\d:00\.000000\+00:00$/),
      value: 0.75,
      healthy: false,
      incident_related: false,
    },
  ])
})

test('payments before the window do not count, and a window without payments has no value', async () => {
  const metric = await watch(shop, { spec: { params: { filters: { datetime_range: 'PT5M/now' } } } })
  await pay(10_00, DECLINED)
  await passMinute()
  railyard.clock.advance(4 * MINUTE_MS)
  await pay(10_00)
  await passMinute()
  railyard.clock.advance(10 * MINUTE_MS)
  await passMinute()
  expect(await samples(metric)).toMatchObject([
    { value: 0.5, healthy: false },
    { value: 1, healthy: true },
    { value: null, healthy: null },
  ])
})

test('pending payments and refusals by flow rules do not count', async () => {
  const rule = {
    display_name: 'No',
    action: 'decline-early',
    condition: { field: 'metadata.no', operator: 'is', value: 'yes' },
  }
  expect(
    (
      await railyard.admin.post('/flows/card-transaction/rules', rule, {
        'x-svc-merchant-account-id': shop.account,
      })
    ).status,
  ).toBe(201)
  expect(
    (
      await railyard.admin.post(
        '/flows/card-transaction/rules/publish',
        {},
        { 'x-svc-merchant-account-id': shop.account },
      )
    ).status,
  ).toBeLessThan(300)
  const metric = await watch(shop)
  expect((await shop.pay(10_00, { metadata: { no: 'yes' } })).body.status).toBe('authorization_failed')
  // 540001: the sandbox's authorization stays pending
  expect((await shop.pay(540_001)).body.status).toBe('processing')
  await passMinute()
  await pay(10_00)
  await passMinute()
  expect(await values(metric)).toEqual([null, 1])
})

test('each filter selects payments, and null those without a value', async () => {
  const filters = (more: object) =>
    watch(shop, {
      spec: { model: 'auth_rate', params: { filters: { datetime_range: 'PT1H/now', ...more } } },
    })
  const visa = await filters({ payment_method_scheme: ['visa'] })
  const amexOrNone = await filters({ payment_method_scheme: ['amex', null] })
  const bin = await filters({ payment_method_bin: ['411111'] })
  const service = await filters({ payment_service_id: [shop.paymentServiceId.toUpperCase()] })
  const noService = await filters({ payment_service_id: [null] })
  const wallets = await filters({ method: ['wallet'], payment_method_scheme: [] })
  const mastercard = {
    method: 'card',
    number: '5555555555554444',
    expiration_date: '12/35',
    security_code: '123',
  }
  await pay(10_00, DECLINED)
  await shop.pay(10_00, { payment_method: mastercard })
  await passMinute()
  const all = await Promise.all([visa, amexOrNone, bin, service, noService, wallets].map(values))
  expect(all).toEqual([[0.5], [null], [0.5], [2 / 3], [null], [null]])
})

test('declines open an incident, approvals close it, and both have an event', async () => {
  const receiver = await startReceiver()
  await subscribe(railyard, shop.account, receiver)
  const metric = await watch(shop, { display_name: 'Cards' })
  await pay(10_00, DECLINED)
  const receivedBefore = receiver.received.length
  await passMinute()
  expect(await incidents(metric)).toEqual([])
  await passMinute()
  const [open] = await incidents(metric)
  expect(open).toMatchObject({
    type: 'monitoring.incident',
    metric_id: metric,
    merchant_account_id: shop.account,
    display_name: 'Cards',
    spec: { model: 'auth_rate', params: { filters: { datetime_range: 'PT15M/now', method: null } } },
    alerting_policy: { strategy: 'threshold', params: { alert_gt: null, alert_lt: 0.8 } },
    incident_policy: { strategy: 'debouncing', params: { create_after_n: 2, close_after_n: 2 } },
    notes: null,
    closed_at: null,
  })
  await pay(...Array.from({ length: 9 }, () => 10_00))
  await passMinutes(2)
  const [closed] = await incidents(metric)
  expect(closed).toEqual({ ...open, closed_at: expect.any(String), updated_at: closed.closed_at })
  await passMinute()
  expect(await samples(metric)).toMatchObject([
    { healthy: false, incident_related: false },
    { healthy: false, incident_related: true },
    { healthy: true, incident_related: true },
    { healthy: true, incident_related: true },
    { healthy: true, incident_related: false },
  ])
  await waitUntilReadable(railyard.world)
  await railyard.sender.runOnce()
  expect(
    receiver.received
      .slice(receivedBefore)
      .flatMap(({ event }) => (event.name.startsWith('monitoring.') ? [event] : [])),
  ).toMatchObject([
    { name: 'monitoring.incident.created', sequence: 1, target: open },
    { name: 'monitoring.incident.closed', sequence: 2, target: closed },
  ])
  await receiver.close()
})

test('a quarter of an hour without payments neither opens an incident nor closes one', async () => {
  const metric = await watch(shop, { spec: { params: { filters: { datetime_range: 'PT5M/now' } } } })
  await pay(DECLINED)
  await passMinute()
  railyard.clock.advance(10 * MINUTE_MS)
  await passMinutes(5)
  expect(await incidents(metric)).toEqual([])
  await pay(DECLINED)
  await passMinute()
  expect(await incidents(metric)).toMatchObject([{ closed_at: null }])
  railyard.clock.advance(10 * MINUTE_MS)
  await passMinutes(5)
  expect(await incidents(metric)).toMatchObject([{ closed_at: null }])
})

test('without an alerting policy samples have a value and no verdict', async () => {
  const metric = await watch(shop, { alerting_policy: null, incident_policy: null })
  await pay(10_00, DECLINED)
  await passMinute()
  expect(await samples(metric)).toMatchObject([{ value: 0.5, healthy: null, incident_related: false }])
})

test('a threshold itself is healthy, on either side', async () => {
  const below = await watch(shop, { alerting_policy: { params: { alert_lt: '0.75' } } })
  const above = await watch(shop, { alerting_policy: { params: { alert_gt: 0.75 } } })
  const strict = await watch(shop, { alerting_policy: { params: { alert_gt: '.74', alert_lt: null } } })
  await pay(10_00, 10_00, 10_00, DECLINED)
  await passMinute()
  const healthy = await Promise.all(
    [below, above, strict].map(async (metric) => (await samples(metric))[0].healthy),
  )
  expect(healthy).toEqual([true, true, false])
})

test('after a change of policy samples are counted from 0, and an open incident continues', async () => {
  const metric = await watch(shop)
  await pay(10_00, DECLINED)
  await passMinute()
  const update = {
    display_name: 'Cards',
    alerting_policy: { params: { alert_lt: 0.6 } },
    incident_policy: { params: { create_after_n: 2, close_after_n: 1 } },
  }
  expect((await shop.put(`/monitoring/metrics/${metric}`, update)).status).toBe(200)
  await passMinute()
  expect(await incidents(metric)).toEqual([])
  await passMinute()
  expect(await incidents(metric)).toMatchObject([
    { closed_at: null, alerting_policy: { params: { alert_lt: 0.6 } } },
  ])
  expect(
    (
      await shop.put(`/monitoring/metrics/${metric}`, {
        ...update,
        alerting_policy: { params: { alert_lt: 0.4 } },
      })
    ).status,
  ).toBe(200)
  await passMinute()
  expect(await incidents(metric)).toMatchObject([
    { closed_at: expect.any(String), alerting_policy: { params: { alert_lt: 0.6 } } },
  ])
})

test('a renamed metric keeps its count of samples in a row', async () => {
  const metric = await watch(shop)
  await pay(DECLINED)
  await passMinute()
  const { alerting_policy, incident_policy } = (await shop.get(`/monitoring/metrics/${metric}`)).body
  await shop.put(`/monitoring/metrics/${metric}`, {
    display_name: 'Renamed',
    alerting_policy,
    incident_policy,
  })
  await passMinute()
  expect(await incidents(metric)).toMatchObject([{ display_name: 'Renamed', closed_at: null }])
})

test('an open incident is closed when its incident policy is removed', async () => {
  const metric = await watch(shop)
  await pay(DECLINED)
  await passMinutes(2)
  const without = {
    display_name: 'Cards',
    alerting_policy: { params: { alert_lt: 0.8 } },
    incident_policy: null,
  }
  expect((await shop.put(`/monitoring/metrics/${metric}`, without)).status).toBe(200)
  expect(await incidents(metric)).toMatchObject([{ closed_at: expect.any(String), metric_id: metric }])
  await passMinutes(3)
  expect((await monitoringEvents()).map(({ name }: { name: string }) => name)).toEqual([
    'monitoring.incident.created',
    'monitoring.incident.closed',
  ])
  expect(await samples(metric)).toMatchObject([
    { healthy: false },
    { incident_related: true },
    ...Array(3).fill({ healthy: false, incident_related: false }),
  ])
})

test('a deleted metric gets no more samples, and its incident is closed and stays without the metric’s id', async () => {
  const metric = await watch(shop)
  await pay(DECLINED)
  await passMinutes(2)
  const [{ id }] = await incidents(metric)
  expect(await shop.delete(`/monitoring/metrics/${metric}`)).toMatchObject({ status: 200 })
  expect(await passMinute()).toBe(0)
  expect((await shop.get(`/monitoring/metrics/${metric}`)).status).toBe(404)
  expect((await shop.get(`/monitoring/metrics/${metric}/incidents`)).status).toBe(404)
  const { body: incident } = await shop.get(`/monitoring/incidents/${id}`)
  expect(incident).toMatchObject({ metric_id: null, closed_at: expect.any(String), display_name: 'Cards' })
  expect((await monitoringEvents()).at(-1)).toMatchObject({
    name: 'monitoring.incident.closed',
    target: incident,
  })
})

test('a metric gets one sample a minute, also from several processes', async () => {
  const metric = await watch(shop)
  railyard.clock.advance(MINUTE_MS)
  const now = railyard.clock.now()
  const frozen = { ...railyard.world, clock: { now: () => now } }
  const taken = await Promise.all([1, 2, 3, 4].map(() => takeSamples(frozen)))
  expect(taken.reduce((sum, one) => sum + one)).toBe(1)
  expect(await takeSamples(frozen)).toBe(0)
  expect(await samples(metric)).toHaveLength(1)
})

test('a process whose sample another one has taken writes nothing', async () => {
  const metric = await watch(shop, { incident_policy: { params: { create_after_n: 1, close_after_n: 1 } } })
  await pay(DECLINED)
  railyard.clock.advance(MINUTE_MS)
  const { world } = railyard
  // the lease of this process ends while it measures, and another process takes the sample
  let measuring = true
  const slow: typeof world = {
    ...world,
    run: async (text, values) => {
      if (measuring && text.includes('from transactions')) {
        measuring = false
        railyard.clock.advance(10_000)
        await world.db.updateTable('monitoring_metrics').set({ leased_until: null }).execute()
        expect(await takeSamples(world)).toBe(1)
      }
      return world.run(text, values)
    },
  }
  expect(await takeSamples(slow)).toBe(0)
  expect(await samples(metric)).toHaveLength(1)
  expect(await incidents(metric)).toHaveLength(1)
})

test('after a time without processes sampling continues with the present minute, and the missed samples stay missing', async () => {
  const metric = await watch(shop)
  await passMinute()
  railyard.clock.advance(6 * 60 * MINUTE_MS)
  expect(await takeSamples(railyard.world)).toBe(1)
  expect(await takeSamples(railyard.world)).toBe(0)
  expect(await samples(metric)).toHaveLength(2)
})

test('a metric whose process died is sampled again after its lease, and its count of samples continues', async () => {
  const metric = await watch(shop, { incident_policy: { params: { create_after_n: 2, close_after_n: 1 } } })
  await pay(DECLINED)
  await passMinute()
  const { world, clock } = railyard
  clock.advance(MINUTE_MS)
  await world.db
    .updateTable('monitoring_metrics')
    .set({ leased_until: new Date(clock.now() + MINUTE_MS).toISOString() })
    .execute()
  const restarted = startMonitoring(world)
  expect(await restarted.runOnce()).toBe(0)
  clock.advance(MINUTE_MS)
  expect(await restarted.runOnce()).toBe(1)
  await restarted.stop()
  expect(await incidents(metric)).toMatchObject([{ closed_at: null }])
})

test('a metric that cannot be measured delays no other metric, and is tried again', async () => {
  const broken = await watch(shop)
  const metric = await watch(shop)
  const { world } = railyard
  let fails = true
  const failing: typeof world = {
    ...world,
    run: async (text, values) => {
      const fail = fails && text.includes('from transactions')
      if (!fail) return world.run(text, values)
      fails = false
      throw new Error('too slow')
    },
  }
  railyard.clock.advance(MINUTE_MS)
  expect(await takeSamples(failing)).toBe(1)
  expect(await passMinute()).toBe(2)
  expect([(await samples(broken)).length, (await samples(metric)).length].sort()).toEqual([1, 2])
  expect(railyard.logged.some((line) => line.includes('a sample of a metric could not be taken'))).toBe(true)
})

test('one round takes the samples of a hundred metrics', async () => {
  // at the start of a minute, so that all metrics are created within it
  advanceToNextMinute(railyard.clock)
  const metrics = await Promise.all(
    Array.from({ length: 100 }, (_, index) => watch(shop, { display_name: `Metric ${index}` })),
  )
  await pay(10_00, DECLINED)
  expect(await passMinute()).toBe(100)
  expect(new Set((await Promise.all(metrics.map(values))).flat())).toEqual(new Set([0.5]))
})
