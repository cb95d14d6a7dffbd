import { expect, test } from 'vitest'
import {
  cardReport,
  cellsOf,
  DAY_MS,
  readReport,
  reportOf,
  sourceOf,
} from '../../support/domains/reconciliation.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { railyard, shop } = desk

/** Takes a payment, and reads a report whose line about it differs from the payment service’s. */
async function readBrokenReport(amount: number, change: Record<string, string>) {
  const known = await shop.sold(amount, { external_identifier: `order-${amount}` })
  railyard.clock.advance(3 * DAY_MS)
  const lines = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  const gross = (line: Record<string, string>) => line['gross_amount'] === String(amount)
  const source = await sourceOf(railyard, shop.account, shop.paymentServiceId)
  await readReport(railyard, source, reportOf(lines.filter(gross).map((line) => ({ ...line, ...change }))))
  return known
}

test('an accountant finds the payment of a line by the amount in it', async () => {
  const payment = await readBrokenReport(31_41, { payment_id: 'pay_of_nobody' })
  const page = await desk.open('reconciliation')
  const row = page.getByRole('row').filter({ hasText: 'pay_of_nobody' })
  await see(row, 'Unknown payment')
  expect(await barriers(page, 'dashboard-unmatched-lines')).toEqual([])
  await row.getByRole('button', { name: 'Find the payment' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: '3141', exact: true }).click()
  const found = dialog.getByRole('link', { name: 'order-3141' })
  await found.waitFor()
  expect(await barriers(page, 'dashboard-find-payment')).toEqual([])
  await dialog.getByLabel('Id or reference').fill('order-of-nobody')
  await dialog.getByRole('button', { name: 'Search' }).click()
  await see(dialog, 'No payment fits')
  await dialog.getByLabel('Amount').fill('31.4.1')
  await dialog.getByRole('button', { name: 'Search' }).click()
  await see(dialog, 'Enter an amount')
  await dialog.getByLabel('Amount').fill('31.41')
  await dialog.getByLabel('Id or reference').fill('')
  await dialog.getByRole('button', { name: 'Search' }).click()
  await found.click()
  await page.waitForURL(desk.url(`payments/${payment.id}`))
})

test('a hostile line is shown as text', async () => {
  const hostile = '<img src=x onerror=alert(1)>"javascript:alert(1)'
  await readBrokenReport(16_18, { payment_id: `"${hostile.replaceAll('"', '""')}"` })
  const page = await desk.open('reconciliation')
  const row = page.getByRole('row').filter({ hasText: '<img src=x onerror=alert(1)>' })
  await row.getByRole('button', { name: 'Find the payment' }).click()
  await see(page.getByRole('dialog'), '<img src=x')
  expect(await page.locator('img[src=x], a[href^="javascript:"]').count()).toBe(0)
})

test('captured payments that no report has settled are listed from the chosen age on', async () => {
  const fresh = await shop.sold(27_18, { external_identifier: 'order-27' })
  const page = await desk.open('reconciliation/not-settled')
  const row = page.getByRole('row').filter({ hasText: 'order-27' })
  await page.getByText('No captured payment waits').or(page.getByRole('row').nth(1)).waitFor()
  expect(await row.count()).toBe(0)
  // the account's clock is ahead of the browser's, so the payment becomes old by the browser's alone
  await page.clock.install({ time: Date.now() + 40 * DAY_MS })
  await page.goto(desk.url('reconciliation/not-settled?days=7'))
  await row.waitFor()
  expect(await barriers(page, 'dashboard-not-settled')).toEqual([])
  await row.getByRole('link', { name: 'order-27' }).click()
  await page.waitForURL(desk.url(`payments/${fresh.id}`))
})

test('people without access to reports are not offered reconciliation', async () => {
  for (const role of ['customer-support', 'analyst']) {
    const page = await desk.open('', { roles: [role] })
    expect(await page.getByRole('link', { name: 'Reconciliation' }).count()).toBe(0)
    await page.goto(desk.url('reconciliation'))
    await see(page, 'Your role does not open this page')
    expect(await page.title()).toBe('Your role does not open this page · Railyard')
  }
})
