import { beforeEach, expect, test } from 'vitest'
import { authRateMetric, watch } from '../../test/support/domains/monitoring.ts'
import { person } from '../../test/support/people.ts'
import { advanceToNextMinute } from '../../test/support/railyard.ts'
import { invalidFields, openShop } from '../../test/support/shop.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { deleteOldSamples } from './retention.ts'
import { takeSamples } from './sampling.ts'

const { railyard, shop } = await startShop({
  comparesBooks: false,
  env: { MONITORING_RETENTION_DAYS: '2' },
})
await railyard.monitoring.stop()
beforeEach(() => advanceToNextMinute(railyard.clock))

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const create = (more: object) => shop.post('/monitoring/metrics', authRateMetric(more))
const withFilters = (filters: object) =>
  create({ spec: { params: { filters: { datetime_range: 'PT15M/now', ...filters } } } })
const list = (query = '') => shop.get(`/monitoring/metrics?samples_timestamp_interval=PT1H/now${query}`)

test('a metric shows the request’s members, null for those left out, and its creator', async () => {
  const { status, body } = await create({
    spec: { params: { filters: { datetime_range: 'PT1H/now', method: ['card', null] } } },
    alerting_policy: { params: { alert_gt: '.99' } },
    incident_policy: { params: { create_after_n: 1, close_after_n: 10 } },
  })
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      type: 'monitoring.metric',
      id: expect.any(String),
      merchant_account_id: shop.account,
      display_name: 'Cards',
      spec: {
        model: 'auth_rate',
        params: {
          filters: {
            datetime_range: 'PT1H/now',
            method: ['card', null],
            payment_method_bin: null,
            payment_method_scheme: null,
            payment_service_id: null,
          },
        },
      },
      alerting_policy: { strategy: 'threshold', params: { alert_gt: 0.99, alert_lt: null } },
      alerting_policy_updated_at: body.created_at,
      incident_policy: { strategy: 'debouncing', params: { create_after_n: 1, close_after_n: 10 } },
      incident_policy_updated_at: body.created_at,
      created_at: expect.any(String),
      creator_id: expect.any(String),
      creator_type: 'private_key',
      creator_display_name: 'Test',
      updated_at: body.created_at,
      samples_view: null,
    },
  })
  expect((await shop.get(`/monitoring/metrics/${body.id}`)).body).toEqual(body)
})

test('a metric that a person creates names that person', async () => {
  const maker = await person(railyard, { roles: ['system-manager'] })
  const headers = { 'x-svc-merchant-account-id': shop.account }
  const { status, body } = await maker.send('POST', '/monitoring/metrics', authRateMetric(), headers)
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      creator_type: 'user',
      creator_id: maker.id,
      creator_display_name: expect.stringContaining('Person'),
    },
  })
})

test.each([
  ['a window of less than five minutes', { datetime_range: 'PT4M/now' }, 'datetime_range'],
  ['a window of more than an hour', { datetime_range: 'PT61M/now' }, 'datetime_range'],
  ['a duration without an end', { datetime_range: 'PT15M' }, 'datetime_range'],
  ['more than a hundred values of a filter', { method: Array(101).fill('card') }, 'method'],
])('a metric with %s is refused', async (_, filters, member) => {
  expect(await withFilters(filters)).toMatchObject(invalidFields(`/spec/params/filters/${member}`))
})

test.each([
  ['without a threshold', { params: {} }, ''],
  ['with nothing but nulls', { params: { alert_gt: null, alert_lt: null } }, ''],
  ['in percent', { params: { alert_lt: 80 } }, '/alert_lt'],
  ['below 0', { params: { alert_gt: '-0.1' } }, '/alert_gt'],
  ['that no value can meet', { params: { alert_gt: 0.5, alert_lt: 0.6 } }, '/alert_lt'],
])('an alerting policy %s is refused', async (_, alerting_policy, member) => {
  expect(await create({ alerting_policy })).toMatchObject(invalidFields(`/alerting_policy/params${member}`))
})

test('an incident policy needs an alerting policy, also in an update', async () => {
  const { incident_policy } = authRateMetric()
  expect(await create({ alerting_policy: null })).toMatchObject(invalidFields('/incident_policy'))
  const metric = await watch(shop)
  expect(
    await shop.put(`/monitoring/metrics/${metric}`, {
      display_name: 'Cards',
      alerting_policy: null,
      incident_policy,
    }),
  ).toMatchObject(invalidFields('/incident_policy'))
})

test.each([
  ['a missing policy', { alerting_policy: undefined }],
  [
    'a BIN of eight digits',
    { spec: { params: { filters: { datetime_range: 'PT15M/now', payment_method_bin: ['41111111'] } } } },
  ],
  [
    'an unknown scheme',
    { spec: { params: { filters: { datetime_range: 'PT15M/now', payment_method_scheme: ['fisa'] } } } },
  ],
  ['a threshold that is no decimal', { alerting_policy: { params: { alert_lt: 'low' } } }],
  ['a threshold of a megabyte', { alerting_policy: { params: { alert_lt: `${'0'.repeat(900_000)}x` } } }],
  ['eleven samples', { incident_policy: { params: { create_after_n: 11, close_after_n: 1 } } }],
  [
    'another strategy',
    { incident_policy: { strategy: 'hysteresis', params: { create_after_n: 1, close_after_n: 1 } } },
  ],
])('a metric with %s is a 422', async (_, more) => {
  expect((await create(more)).status).toBe(422)
})

test('an update replaces name and policies, and the time of a policy is that of its last change', async () => {
  const metric = await watch(shop)
  const at = `/monitoring/metrics/${metric}`
  const before = (await shop.get(at)).body
  railyard.clock.advance(MINUTE_MS)
  const { alerting_policy, incident_policy } = before
  const renamed = await shop.put(at, {
    display_name: 'Renamed',
    alerting_policy: { params: { alert_lt: '0.80' } },
    incident_policy,
  })
  expect(renamed).toMatchObject({
    status: 200,
    body: {
      display_name: 'Renamed',
      spec: before.spec,
      alerting_policy_updated_at: before.created_at,
      incident_policy_updated_at: before.created_at,
    },
  })
  expect(renamed.body.updated_at > before.updated_at).toBe(true)
  const { body } = await shop.put(at, { display_name: 'Renamed', alerting_policy, incident_policy: null })
  expect(body).toMatchObject({
    alerting_policy_updated_at: before.created_at,
    incident_policy: null,
    incident_policy_updated_at: body.updated_at,
  })
})

test('an update of what a metric measures is a 422', async () => {
  const metric = await watch(shop)
  expect((await shop.put(`/monitoring/metrics/${metric}`, authRateMetric())).status).toBe(422)
})

test('the list has five metrics a page or up to ten, the newest first, and finds them by name', async () => {
  const other = await openShop(railyard)
  const ids: string[] = []
  for (const name of ['a', 'b', '50% off', 'd', 'e', 'f', 'Élan'])
    ids.unshift(await watch(other, { display_name: name }))
  const read = async (query: string) => {
    const { status, body } = await other.get(
      `/monitoring/metrics?samples_timestamp_interval=PT1H/now${query}`,
    )
    expect({ status, body }).toMatchObject({ status: 200 })
    return body
  }
  const first = await read('')
  const second = await read(`&cursor=${first.next_cursor}`)
  expect([...first.items, ...second.items].map(({ id }: { id: string }) => id)).toEqual(ids)
  expect([first.items.length, first.limit, second.next_cursor]).toEqual([5, 5, null])
  expect((await read('&search=0%25')).items.map(({ id }: { id: string }) => id)).toEqual([ids[4]])
  expect((await read('&limit=10')).items).toHaveLength(7)
  expect((await list('&limit=11')).status).toBe(422)
})

test('the list needs the interval of the samples, and a single metric may have one', async () => {
  const metric = await watch(shop)
  railyard.clock.advance(MINUTE_MS)
  await takeSamples(railyard.world)
  expect((await shop.get('/monitoring/metrics')).status).toBe(422)
  expect((await list()).body.items.find(({ id }: { id: string }) => id === metric).samples_view).toHaveLength(
    1,
  )
  const single = (query: string) => shop.get(`/monitoring/metrics/${metric}${query}`)
  expect((await single('')).body.samples_view).toBeNull()
  const { timestamp } = (await single('?samples_timestamp_interval=PT1H/now')).body.samples_view[0]
  const from = (start: string) => single(`?samples_timestamp_interval=${start}/PT1M`)
  expect((await from(timestamp)).body.samples_view).toHaveLength(1)
  const before = new Date(Date.parse(timestamp) - MINUTE_MS).toISOString()
  expect((await from(before)).body.samples_view).toEqual([])
  for (const wrong of ['PT1H', 'PT25H/now', 'now/PT-1H', 'whenever'])
    expect(await single(`?samples_timestamp_interval=${wrong}`)).toMatchObject({
      status: 400,
      body: { details: [{ location: 'query', pointer: 'samples_timestamp_interval' }] },
    })
})

test('samples are deleted when they are old, and those of a deleted metric at once', async () => {
  const { world, clock } = railyard
  const active = await watch(shop)
  const deleted = await watch(shop)
  clock.advance(MINUTE_MS)
  await takeSamples(world)
  clock.advance(2 * DAY_MS)
  await takeSamples(world)
  await shop.delete(`/monitoring/metrics/${deleted}`)
  await deleteOldSamples(world)
  const left = await world.db
    .selectFrom('monitoring_samples')
    .select('metric_id')
    .where('metric_id', 'in', [active, deleted])
    .execute()
  expect(left).toEqual([{ metric_id: active }])
  const rows = await world.db
    .selectFrom('monitoring_metrics')
    .select('id')
    .where('id', 'in', [active, deleted])
    .execute()
  expect(rows).toEqual([{ id: active }])
})

test('system managers can create metrics, and all monitoring roles can read incidents', async () => {
  const manager = await person(railyard, { roles: ['system-manager'] })
  const support = await person(railyard, { roles: ['system-support'] })
  const analyst = await person(railyard, { roles: ['analyst'] })
  const creations = await Promise.all(
    [manager, support, analyst].map((each) => each.send('POST', '/monitoring/metrics', authRateMetric())),
  )
  expect(creations.map(({ status }) => status)).toEqual([201, 403, 403])
  const answers = await Promise.all(
    [manager, support, analyst].map((each) => each.get('/monitoring/incidents')),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
})
