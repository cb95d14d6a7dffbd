import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { watch } from '../../test/support/domains/monitoring.ts'
import { startTestRailyard, type TestRailyard } from '../../test/support/railyard.ts'
import { startReceiver, subscribe } from '../../test/support/receiver.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { waitUntilReadable } from '../database/logs/event-log.ts'
import { startMonitoring, takeSamples } from './sampling.ts'

const MINUTE_MS = 60_000

let railyard: TestRailyard
let shop: Shop
beforeAll(async () => {
  railyard = await startTestRailyard()
  // what is due is taken by the tests alone
  await railyard.monitoring.stop()
})
afterAll(() => railyard.close())
beforeEach(async () => {
  // no minute ends while a test is under way, but those that it says
  railyard.clock.advance(MINUTE_MS - (railyard.clock.now() % MINUTE_MS))
  // what other tests have watched is not due in this one
  await railyard.world.db.deleteFrom('monitoring_metrics').execute()
  shop = await openShop(railyard)
})

const DECLINED = 200_011

const pays = (...amounts: number[]) => Promise.all(amounts.map((amount) => shop.pay(amount)))

/** A minute later one sample is due of each metric, and taken. */
async function aMinuteLater(): Promise<number> {
  railyard.clock.advance(MINUTE_MS)
  return takeSamples(railyard.world)
}
const minutesLater = async (count: number) => {
  for (let minute = 0; minute < count; minute += 1) await aMinuteLater()
}

const samples = async (metric: string) => {
  const { status, body } = await shop.get(`/monitoring/metrics/${metric}?samples_timestamp_interval=PT24H/now`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.samples_view
}
const values = async (metric: string) => (await samples(metric)).map(({ value }: { value: number | null }) => value)
const incidents = async (metric: string) => (await shop.get(`/monitoring/metrics/${metric}/incidents`)).body.items
async function told() {
  await waitUntilReadable(railyard.world)
  return (await shop.get('/events')).body.items.filter(({ name }: { name: string }) => name.startsWith('monitoring.'))
}

test('a sample is the share of the window’s payments that were authorized, at a whole minute', async () => {
  const metric = await watch(shop)
  await pays(10_00, 20_00, 30_00, DECLINED)
  await aMinuteLater()
  expect(await samples(metric)).toEqual([
    { timestamp: expect.stringMatching(/T\d\d:\d\d:00\.000000\+00:00$/), value: 0.75, healthy: false, incident_related: false },
  ])
})

test('payments that left the window do not count any more; where none are left, there is no value', async () => {
  const metric = await watch(shop, { spec: { params: { filters: { datetime_range: 'PT5M/now' } } } })
  await pays(10_00, DECLINED)
  await aMinuteLater()
  railyard.clock.advance(4 * MINUTE_MS)
  await pays(10_00)
  await aMinuteLater()
  railyard.clock.advance(10 * MINUTE_MS)
  await aMinuteLater()
  expect(await samples(metric)).toMatchObject([
    { value: 0.5, healthy: false },
    { value: 1, healthy: true },
    { value: null, healthy: null },
  ])
})

test('what waits for its buyer is not processed yet, and a refusal by one’s own rule tells nothing', async () => {
  const rule = { display_name: 'No', action: 'decline-early', condition: { field: 'metadata.no', operator: 'is', value: 'yes' } }
  expect((await railyard.admin.post('/flows/card-transaction/rules', rule, { 'x-svc-merchant-account-id': shop.account })).status).toBe(201)
  expect((await railyard.admin.post('/flows/card-transaction/rules/publish', {}, { 'x-svc-merchant-account-id': shop.account })).status).toBeLessThan(
    300,
  )
  const metric = await watch(shop)
  expect((await shop.pay(10_00, { metadata: { no: 'yes' } })).body.status).toBe('authorization_failed')
  // 540001: the sandbox's authorization stays pending
  expect((await shop.pay(540_001)).body.status).toBe('processing')
  await aMinuteLater()
  await pays(10_00)
  await aMinuteLater()
  expect(await values(metric)).toEqual([null, 1])
})

test('each filter chooses payments, and null those that have no such thing', async () => {
  const filters = (more: object) => watch(shop, { spec: { model: 'auth_rate', params: { filters: { datetime_range: 'PT1H/now', ...more } } } })
  const visa = await filters({ payment_method_scheme: ['visa'] })
  const amexOrNone = await filters({ payment_method_scheme: ['amex', null] })
  const bin = await filters({ payment_method_bin: ['411111'] })
  const service = await filters({ payment_service_id: [shop.paymentServiceId.toUpperCase()] })
  const noService = await filters({ payment_service_id: [null] })
  const wallets = await filters({ method: ['wallet'], payment_method_scheme: [] })
  const mastercard = { method: 'card', number: '5555555555554444', expiration_date: '12/35', security_code: '123' }
  await pays(10_00, DECLINED)
  await shop.pay(10_00, { payment_method: mastercard })
  await aMinuteLater()
  const all = await Promise.all([visa, amexOrNone, bin, service, noService, wallets].map(values))
  expect(all).toEqual([[0.5], [null], [0.5], [2 / 3], [null], [null]])
})

test('from declines to an incident to its end, and the merchant’s systems are told of both', async () => {
  const receiver = await startReceiver()
  await subscribe(railyard, shop.account, receiver)
  const metric = await watch(shop, { display_name: 'Cards' })
  await pays(10_00, DECLINED)
  const heard = receiver.received.length
  await aMinuteLater()
  expect(await incidents(metric)).toEqual([])
  await aMinuteLater()
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
  await pays(...Array.from({ length: 9 }, () => 10_00))
  await minutesLater(2)
  const [closed] = await incidents(metric)
  expect(closed).toEqual({ ...open, closed_at: expect.any(String), updated_at: closed.closed_at })
  await aMinuteLater()
  expect(await samples(metric)).toMatchObject([
    { healthy: false, incident_related: false },
    { healthy: false, incident_related: true },
    { healthy: true, incident_related: true },
    { healthy: true, incident_related: true },
    { healthy: true, incident_related: false },
  ])
  await waitUntilReadable(railyard.world)
  await railyard.sender.runOnce()
  expect(receiver.received.slice(heard).flatMap(({ event }) => (event.name.startsWith('monitoring.') ? [event] : []))).toMatchObject([
    { name: 'monitoring.incident.created', sequence: 1, target: open },
    { name: 'monitoring.incident.closed', sequence: 2, target: closed },
  ])
  await receiver.close()
})

test('a quiet quarter of an hour neither opens an incident nor closes one', async () => {
  const metric = await watch(shop, { spec: { params: { filters: { datetime_range: 'PT5M/now' } } } })
  await pays(DECLINED)
  await aMinuteLater()
  railyard.clock.advance(10 * MINUTE_MS)
  await minutesLater(5)
  expect(await incidents(metric)).toEqual([])
  await pays(DECLINED)
  await aMinuteLater()
  expect(await incidents(metric)).toMatchObject([{ closed_at: null }])
  railyard.clock.advance(10 * MINUTE_MS)
  await minutesLater(5)
  expect(await incidents(metric)).toMatchObject([{ closed_at: null }])
})

test('without an alerting policy samples have a value and no verdict', async () => {
  const metric = await watch(shop, { alerting_policy: null, incident_policy: null })
  await pays(10_00, DECLINED)
  await aMinuteLater()
  expect(await samples(metric)).toMatchObject([{ value: 0.5, healthy: null, incident_related: false }])
})

test('a threshold itself is healthy, on either side', async () => {
  const below = await watch(shop, { alerting_policy: { params: { alert_lt: '0.75' } } })
  const above = await watch(shop, { alerting_policy: { params: { alert_gt: 0.75 } } })
  const strict = await watch(shop, { alerting_policy: { params: { alert_gt: '.74', alert_lt: null } } })
  await pays(10_00, 10_00, 10_00, DECLINED)
  await aMinuteLater()
  const healthy = await Promise.all([below, above, strict].map(async (metric) => (await samples(metric))[0].healthy))
  expect(healthy).toEqual([true, true, false])
})

test('with another policy samples in a row are counted anew; what is open goes on with it', async () => {
  const metric = await watch(shop)
  await pays(10_00, DECLINED)
  await aMinuteLater()
  const update = {
    display_name: 'Cards',
    alerting_policy: { params: { alert_lt: 0.6 } },
    incident_policy: { params: { create_after_n: 2, close_after_n: 1 } },
  }
  expect((await shop.put(`/monitoring/metrics/${metric}`, update)).status).toBe(200)
  await aMinuteLater()
  expect(await incidents(metric)).toEqual([])
  await aMinuteLater()
  expect(await incidents(metric)).toMatchObject([{ closed_at: null, alerting_policy: { params: { alert_lt: 0.6 } } }])
  expect((await shop.put(`/monitoring/metrics/${metric}`, { ...update, alerting_policy: { params: { alert_lt: 0.4 } } })).status).toBe(200)
  await aMinuteLater()
  expect(await incidents(metric)).toMatchObject([{ closed_at: expect.any(String), alerting_policy: { params: { alert_lt: 0.6 } } }])
})

test('a renamed metric goes on counting', async () => {
  const metric = await watch(shop)
  await pays(DECLINED)
  await aMinuteLater()
  const { alerting_policy, incident_policy } = (await shop.get(`/monitoring/metrics/${metric}`)).body
  await shop.put(`/monitoring/metrics/${metric}`, { display_name: 'Renamed', alerting_policy, incident_policy })
  await aMinuteLater()
  expect(await incidents(metric)).toMatchObject([{ display_name: 'Renamed', closed_at: null }])
})

test('an incident that nothing would close is closed with its policy', async () => {
  const metric = await watch(shop)
  await pays(DECLINED)
  await minutesLater(2)
  const without = { display_name: 'Cards', alerting_policy: { params: { alert_lt: 0.8 } }, incident_policy: null }
  expect((await shop.put(`/monitoring/metrics/${metric}`, without)).status).toBe(200)
  expect(await incidents(metric)).toMatchObject([{ closed_at: expect.any(String), metric_id: metric }])
  await minutesLater(3)
  expect((await told()).map(({ name }: { name: string }) => name)).toEqual(['monitoring.incident.created', 'monitoring.incident.closed'])
  expect(await samples(metric)).toMatchObject([
    { healthy: false },
    { incident_related: true },
    ...Array(3).fill({ healthy: false, incident_related: false }),
  ])
})

test('a deleted metric is sampled no more; its incident is closed and stays, without its id', async () => {
  const metric = await watch(shop)
  await pays(DECLINED)
  await minutesLater(2)
  const [{ id }] = await incidents(metric)
  expect(await shop.delete(`/monitoring/metrics/${metric}`)).toMatchObject({ status: 200 })
  expect(await aMinuteLater()).toBe(0)
  expect((await shop.get(`/monitoring/metrics/${metric}`)).status).toBe(404)
  expect((await shop.get(`/monitoring/metrics/${metric}/incidents`)).status).toBe(404)
  const { body: incident } = await shop.get(`/monitoring/incidents/${id}`)
  expect(incident).toMatchObject({ metric_id: null, closed_at: expect.any(String), display_name: 'Cards' })
  expect((await told()).at(-1)).toMatchObject({ name: 'monitoring.incident.closed', target: incident })
})

test('one sample a minute, however often and by however many it is asked for', async () => {
  const metric = await watch(shop)
  railyard.clock.advance(MINUTE_MS)
  const now = railyard.clock.now()
  const frozen = { ...railyard.world, clock: { now: () => now } }
  const taken = await Promise.all([1, 2, 3, 4].map(() => takeSamples(frozen)))
  expect(taken.reduce((sum, one) => sum + one)).toBe(1)
  expect(await takeSamples(frozen)).toBe(0)
  expect(await samples(metric)).toHaveLength(1)
})

test('whoever finds its sample taken when it comes to write changes nothing', async () => {
  const metric = await watch(shop, { incident_policy: { params: { create_after_n: 1, close_after_n: 1 } } })
  await pays(DECLINED)
  railyard.clock.advance(MINUTE_MS)
  const { world } = railyard
  // while this one measures, its lease ends, and another takes the sample
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

test('after a time without anybody at work it goes on with the present minute, and what was missed stays unknown', async () => {
  const metric = await watch(shop)
  await aMinuteLater()
  railyard.clock.advance(6 * 60 * MINUTE_MS)
  expect(await takeSamples(railyard.world)).toBe(1)
  expect(await takeSamples(railyard.world)).toBe(0)
  expect(await samples(metric)).toHaveLength(2)
})

test('a process that died with a metric in its hands holds it up for a minute; one that starts goes on where the last one stopped', async () => {
  const metric = await watch(shop, { incident_policy: { params: { create_after_n: 2, close_after_n: 1 } } })
  await pays(DECLINED)
  await aMinuteLater()
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

test('a metric that cannot be measured keeps no other from its sample, and is tried again', async () => {
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
  expect(await aMinuteLater()).toBe(2)
  expect([(await samples(broken)).length, (await samples(metric)).length].sort()).toEqual([1, 2])
  expect(railyard.logged.some((line) => line.includes('a sample of a metric could not be taken'))).toBe(true)
})

test('one round takes the samples of a hundred metrics', async () => {
  // they are made within one minute
  railyard.clock.advance(MINUTE_MS - (railyard.clock.now() % MINUTE_MS))
  const metrics = await Promise.all(Array.from({ length: 100 }, (_, index) => watch(shop, { display_name: `Metric ${index}` })))
  await pays(10_00, DECLINED)
  expect(await aMinuteLater()).toBe(100)
  expect(new Set((await Promise.all(metrics.map(values))).flat())).toEqual(new Set([0.5]))
})
