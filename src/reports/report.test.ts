import { expect, test } from 'vitest'
import {
  newestExecution,
  startWithoutReportRounds,
  transactionsReport,
} from '../../test/support/domains/reports.ts'
import { person } from '../../test/support/people.ts'
import { invalidFields, openShop } from '../../test/support/shop.ts'

const railyard = await startWithoutReportRounds()

const DAY_MS = 86_400_000
const daily = (more = {}) => transactionsReport({ schedule: 'daily', schedule_enabled: true, ...more })
const reportWith = (model: string, params: unknown) => transactionsReport({ spec: { model, params } })

test('a report with the schedule once is due at once, and has one execution', async () => {
  const merchant = await railyard.merchant()
  const created = await merchant.post('/reports', transactionsReport({ description: 'Everything' }))
  expect(created).toMatchObject({
    status: 201,
    body: {
      type: 'report',
      merchant_account_id: merchant.account,
      name: 'Sales',
      description: 'Everything',
      schedule: 'once',
      schedule_enabled: false,
      schedule_timezone: 'Etc/UTC',
      next_execution_at: null,
      creator_type: 'private_key',
      creator_display_name: 'Test',
      spec: transactionsReport().spec,
      latest_execution: { status: 'pending', context: { reference_timezone: 'Etc/UTC' } },
    },
  })
  await railyard.reports.runOnce()
  await railyard.reports.runOnce()
  const executions = await merchant.get(`/reports/${created.body.id}/executions`)
  expect(executions.body.items).toHaveLength(1)
  expect(executions.body.items[0]).toMatchObject({
    status: 'succeeded',
    report: { id: created.body.id, name: 'Sales' },
  })
  const { report: _, ...summary } = executions.body.items[0]
  expect((await merchant.get(`/reports/${created.body.id}`)).body.latest_execution).toEqual(summary)
  expect((await merchant.get(`/report-executions/${summary.id}`)).body).toEqual(executions.body.items[0])
})

test('the creator of a report is the person who created it', async () => {
  const merchant = await railyard.merchant()
  const manager = await person(railyard, {
    roles: ['analyst', 'report-manager'],
    merchantAccounts: [merchant.account],
  })
  const created = await manager.send('POST', '/reports', transactionsReport())
  expect(created).toMatchObject({ status: 201, body: { creator_type: 'user', creator_id: manager.id } })
})

test('a report whose time zone this process does not know is left to others, and delays none', async () => {
  const merchant = await railyard.merchant()
  const unknown = (await merchant.post('/reports', daily())).body
  const known = (await merchant.post('/reports', daily())).body
  await railyard.world.run(`update reports set schedule_timezone = 'Mars/Phobos' where id = $1`, [unknown.id])
  railyard.clock.advance(Date.parse(known.next_execution_at) - railyard.clock.now() + 60_000)
  await railyard.reports.runOnce()
  expect(await newestExecution(merchant, known.id)).toMatchObject({ status: 'succeeded' })
  expect(await newestExecution(merchant, unknown.id)).toBeUndefined()
})

test('a daily report is made after each day, also for days on which no process ran', async () => {
  const merchant = await railyard.merchant()
  const report = (await merchant.post('/reports', daily({ schedule_timezone: 'Europe/Berlin' }))).body
  expect(report.latest_execution).toBeNull()
  expect(Date.parse(report.next_execution_at)).toBeGreaterThan(railyard.clock.now())
  await railyard.reports.runOnce()
  expect(await newestExecution(merchant, report.id)).toBeUndefined()
  railyard.clock.advance(Date.parse(report.next_execution_at) - railyard.clock.now() + 3 * DAY_MS + 60_000)
  await railyard.reports.runOnce()
  const { items } = (await merchant.get(`/reports/${report.id}/executions`)).body
  expect(items.map(({ status }: { status: string }) => status)).toEqual(Array(items.length).fill('succeeded'))
  const times = items.map(
    ({ context }: { context: { reference_timestamp: string } }) => context.reference_timestamp,
  )
  // one more or less if summer time has begun or ended meanwhile
  expect([3, 4, 5]).toContain(items.length)
  expect(new Set(times).size).toBe(items.length)
  expect(times).toContain(report.next_execution_at)
  const clock = new Intl.DateTimeFormat('en', {
    timeZone: 'Europe/Berlin',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  expect(new Set(times.map((time: string) => clock.format(new Date(time))))).toEqual(new Set(['00:00']))
})

test('a disabled schedule keeps its next time; enabled after that time it continues with the next one', async () => {
  const merchant = await railyard.merchant()
  const report = (await merchant.post('/reports', daily())).body
  const at = `/reports/${report.id}`
  expect((await merchant.put(at, { schedule_enabled: false })).body).toMatchObject({
    schedule_enabled: false,
    next_execution_at: report.next_execution_at,
  })
  expect((await merchant.put(at, { schedule_enabled: true })).body.next_execution_at).toBe(
    report.next_execution_at,
  )
  await merchant.put(at, { schedule_enabled: false })
  railyard.clock.advance(2 * DAY_MS)
  await railyard.reports.runOnce()
  expect(await newestExecution(merchant, report.id)).toBeUndefined()
  const resumed = (await merchant.put(at, { schedule_enabled: true })).body
  expect(Date.parse(resumed.next_execution_at)).toBeGreaterThan(railyard.clock.now())
  expect(Date.parse(resumed.next_execution_at)).toBeLessThanOrEqual(railyard.clock.now() + DAY_MS)
})

test('an update changes name, description and schedule_enabled, and nothing else', async () => {
  const merchant = await railyard.merchant()
  const report = (await merchant.post('/reports', transactionsReport({ description: 'Old' }))).body
  const at = `/reports/${report.id}`
  expect((await merchant.put(at, { name: 'New' })).body).toMatchObject({ name: 'New', description: 'Old' })
  expect((await merchant.put(at, { name: null, description: null })).body).toMatchObject({
    name: 'New',
    description: null,
  })
  expect(await merchant.put(at, { schedule_enabled: true })).toMatchObject(invalidFields('/schedule_enabled'))
  expect(await merchant.put(at, { schedule: 'daily' })).toMatchObject({ status: 422 })
})

test('the answer names each member that breaks a rule', async () => {
  const merchant = await railyard.merchant()
  const expectRefused = async (body: unknown, ...pointers: string[]) =>
    expect(await merchant.post('/reports', body)).toMatchObject(invalidFields(...pointers))
  await expectRefused(transactionsReport({ schedule_enabled: true }), '/schedule_enabled')
  for (const schedule_timezone of ['Europe/Atlantis', '+02:00', ''])
    await expectRefused(daily({ schedule_timezone }), '/schedule_timezone')
  await expectRefused(reportWith('transactions', {}), '/spec/params/fields')
  await expectRefused(reportWith('transactions', { fields: [] }), '/spec/params/fields')
  await expectRefused(reportWith('transactions', { fields: ['id', 'id'] }), '/spec/params/fields')
  await expectRefused(reportWith('transactions', { fields: ['id', 'card_number'] }), '/spec/params/fields/1')
  await expectRefused(reportWith('transactions', { fields: ['id'], filter: {} }), '/spec/params')
  await expectRefused(
    reportWith('transactions', { fields: ['id'], sort: [{ field: 'metadata', order: 'asc' }] }),
    '/spec/params/sort/0/field',
  )
  const withFilters = (filters: unknown) => reportWith('transactions', { fields: ['id'], filters })
  await expectRefused(withFilters({ status: ['paid'] }), '/spec/params/filters/status/0')
  await expectRefused(withFilters({ currency: ['XXQ'] }), '/spec/params/filters/currency/0')
  await expectRefused(withFilters({ created_at: {} }), '/spec/params/filters/created_at')
  await expectRefused(
    withFilters({ created_at: { start: 'day_begin' } }),
    '/spec/params/filters/created_at/start',
  )
  await expectRefused(
    withFilters({ voided_at: { start: '2026-01-02', end: '2026-01-01' } }),
    '/spec/params/filters/voided_at/start',
  )
  await expectRefused(reportWith('transaction_retries', {}), '/spec/params/filters')
  await expectRefused(
    reportWith('transaction_retries', { filters: { created_at: { start: null, end: null } } }),
    '/spec/params/filters/created_at',
  )
  await expectRefused(
    reportWith('detailed_settlement', { filters: { ingested_at: {} } }),
    '/spec/params/filters/ingested_at',
  )
  await expectRefused(
    reportWith('detailed_settlement', { filters: { ingested_at: { start: 'yesterday' } } }),
    '/spec/params/filters/ingested_at/start',
  )
  await expectRefused(reportWith('accounts_receivables', { filters: {} }), '/spec/params/filters/timestamp')
  await expectRefused(
    reportWith('ai_insights', { filters: { prompt_key: 'weather' } }),
    '/spec/params/filters/prompt_key',
  )
  expect(await merchant.post('/reports', reportWith('unheard_of', {}))).toMatchObject({ status: 422 })
})

test('without a model the parameters are those of the model transactions', async () => {
  const merchant = await railyard.merchant()
  const created = await merchant.post(
    '/reports',
    transactionsReport({ spec: { params: { fields: ['id'] } } }),
  )
  expect(created).toMatchObject({
    status: 201,
    body: { spec: { model: 'transactions', params: { fields: ['id'] } } },
  })
})

test('reports and executions are listed in pages and by their filters', async () => {
  const merchant = await railyard.merchant()
  const names = ['Alpha 50%', 'Beta', 'Gamma']
  for (const name of names) await merchant.post('/reports', transactionsReport({ name }))
  await merchant.post('/reports', daily({ name: 'Each day' }))
  await railyard.reports.runOnce()
  const listNames = async (path: string) =>
    (await merchant.get(path)).body.items.map(
      (item: { name?: string; report?: { name: string } }) => item.report?.name ?? item.name,
    )
  expect(await listNames('/reports')).toEqual(['Each day', 'Gamma', 'Beta', 'Alpha 50%'])
  expect(await listNames('/reports?schedule=daily&schedule=weekly')).toEqual(['Each day'])
  expect(await listNames('/reports?schedule_enabled=false&name=a')).toEqual(['Gamma', 'Beta', 'Alpha 50%'])
  expect(await listNames('/reports?name=50%25')).toEqual(['Alpha 50%'])
  const first = (await merchant.get('/reports?limit=3')).body
  expect(await listNames(`/reports?limit=3&cursor=${first.next_cursor}`)).toEqual(['Alpha 50%'])
  expect(await merchant.get(`/reports?name=x&cursor=${first.next_cursor}`)).toMatchObject({ status: 400 })
  expect(await listNames('/report-executions')).toEqual(['Gamma', 'Beta', 'Alpha 50%'])
  expect(await listNames('/report-executions?report_name=bet')).toEqual(['Beta'])
  expect(await listNames('/report-executions?status=pending&status=failed')).toEqual([])
  expect(await listNames('/report-executions?created_at_gte=2999-01-01T00:00:00Z')).toEqual([])
  expect(await listNames('/report-executions?created_at_lte=2999-01-01T00:00:00Z&limit=1')).toEqual(['Gamma'])
  const { creator_id } = (await merchant.get('/reports')).body.items[0]
  expect(await listNames(`/report-executions?creator_id=${creator_id}`)).toHaveLength(3)
  expect(await listNames(`/report-executions?creator_id=${merchant.paymentServiceId}`)).toEqual([])
})

test('another account’s reports and executions are a 404', async () => {
  const shop = await openShop(railyard)
  const stranger = await railyard.merchant()
  const report = (await shop.post('/reports', transactionsReport())).body
  await railyard.reports.runOnce()
  const own = (await stranger.post('/reports', transactionsReport())).body
  const execution = report.latest_execution.id
  for (const path of [
    `/reports/${report.id}`,
    `/reports/${report.id}/executions`,
    `/report-executions/${execution}`,
  ])
    expect(await stranger.get(path)).toMatchObject({ status: 404 })
  expect(await stranger.post(`/reports/${own.id}/executions/${execution}/url`)).toMatchObject({ status: 404 })
  expect((await stranger.get('/reports')).body.items).toHaveLength(1)
})
