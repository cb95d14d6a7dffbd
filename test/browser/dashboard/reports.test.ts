import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { transactionFieldNames } from '../../../src/reports/models/transaction-fields.ts'
import { transactionsReport } from '../../support/domains/reports.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { railyard, shop } = desk

test('a person makes a report of all columns once, sees it get ready, and downloads it', async () => {
  const payment = await shop.sold(12_99, { external_identifier: 'order-report' })
  const page = await desk.open('reports')
  await see(page, 'No reports yet')
  await page.getByRole('link', { name: 'Create report' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Everything')
  await page.getByLabel('Period', { exact: true }).selectOption('all')
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await page.getByLabel('Currency', { exact: true }).fill('EUR, usd!')
  expect(await barriers(page, 'dashboard-new-report')).toEqual([])
  await page.getByRole('button', { name: 'Create report' }).click()
  await page.getByRole('alert').first().waitFor()
  await page.getByLabel('Currency', { exact: true }).fill('EUR, USD')
  await page.getByRole('button', { name: 'Create report' }).click()
  await page.getByRole('heading', { name: 'Everything' }).waitFor()
  await railyard.reports.runOnce()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^Everything-.*\.csv$/)
  const [header = '', row = ''] = (await readFile(await download.path(), 'utf8')).split('\r\n')
  expect(header.split(',').toSorted()).toEqual([...transactionFieldNames].sort())
  expect(row).toContain(payment.id)
  expect(await barriers(page, 'dashboard-report')).toEqual([])
  await page.goto(desk.url('reports/files'))
  await see(page.getByRole('row').filter({ hasText: 'Everything' }), 'Ready')
  expect(await barriers(page, 'dashboard-report-files')).toEqual([])
})

test.each([
  ['transaction_retries', 'created_at'],
  ['detailed_settlement', 'ingested_at'],
  ['accounts_receivables', 'timestamp'],
])('a report of %s is scheduled for the day that has ended', async (model, time) => {
  const page = await desk.open('reports/new')
  await page.getByLabel('Name', { exact: true }).fill(model)
  await page.getByLabel('About', { exact: true }).selectOption(model)
  await page.getByLabel('Schedule', { exact: true }).selectOption('daily')
  await page.getByLabel('Time zone in which').selectOption('Europe/Berlin')
  await page.getByRole('button', { name: 'Create report' }).click()
  await page.getByRole('heading', { name: model }).waitFor()
  const [report] = (await shop.get(`/reports?name=${model}`)).body.items
  expect(report).toMatchObject({
    schedule: 'daily',
    schedule_enabled: true,
    schedule_timezone: 'Europe/Berlin',
    spec: { model, params: { filters: { [time]: { start: 'day_start', end: 'day_end' } } } },
  })
})

test('a person renames a report, pauses its schedule and resumes it', async () => {
  const report = await shop.post(
    '/reports',
    transactionsReport({ schedule: 'daily', schedule_enabled: true }),
  )
  const read = async () => (await shop.get(`/reports/${report.body.id}`)).body
  const page = await desk.open(`reports/${report.body.id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Sales of each day')
  await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('heading', { name: 'Sales of each day' }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  expect(await read()).toMatchObject({ name: 'Sales of each day', schedule_enabled: false })
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  expect(await read()).toMatchObject({ schedule_enabled: true })
})

test('a hostile name is shown as text', async () => {
  const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)> javascript:alert(1) \u202Egnihton'
  await shop.post('/reports', transactionsReport({ name: hostile, description: hostile.repeat(8) }))
  const page = await desk.open('reports')
  await page.getByRole('link', { name: hostile }).click()
  await page.getByRole('heading', { name: hostile }).waitFor()
  expect(await barriers(page, 'dashboard-hostile-report', false)).toEqual([])
  expect(await page.locator('img[src=x], a[href^="javascript:"]').count()).toBe(0)
})

test('a report viewer reads reports and downloads files, and is not offered more', async () => {
  const { body } = await shop.post('/reports', transactionsReport({ name: 'For readers' }))
  await railyard.reports.runOnce()
  const page = await desk.open('reports', { roles: ['analyst', 'report-viewer'] })
  await page.getByRole('link', { name: 'For readers' }).waitFor()
  expect(await page.getByRole('link', { name: 'Create report' }).count()).toBe(0)
  await page.goto(desk.url(`reports/${body.id}`))
  await page.getByRole('button', { name: 'Download' }).waitFor()
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
})

test('a report with buyers’ addresses says why a person without access to them cannot download it', async () => {
  const spec = { model: 'transactions', params: { fields: ['id', 'billing_details_email_address'] } }
  const { body } = await shop.post('/reports', transactionsReport({ name: 'With people', spec }))
  await railyard.reports.runOnce()
  const page = await desk.open(`reports/${body.id}`, { roles: ['analyst', 'report-manager'] })
  await page.getByRole('button', { name: 'Download' }).click()
  await see(page.getByRole('alert'), 'buyers.billing-details.read')
  await page.goto(desk.url('reports/new'))
  await page.getByLabel('buyer_external_identifier').waitFor()
  expect(await page.getByLabel('billing_details_email_address').count()).toBe(0)
})

test('support and analysts are not offered reports', async () => {
  for (const role of ['customer-support', 'analyst']) {
    const page = await desk.open('reports', { roles: [role] })
    await see(page, 'Your role does not open this page')
    expect(await page.getByRole('link', { name: 'Reports' }).count()).toBe(0)
  }
})
