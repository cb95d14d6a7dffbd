import { expect, test } from 'vitest'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile } from './hostile-text.ts'
import { see } from './see.ts'

const DECLINED = 200_011
const DAY_MS = 86_400_000

const desk = await openDesk()
const { railyard, shop } = desk
for (const amount of [10_00, 20_00, 30_00])
  await shop.sold(amount, { country: 'DE', metadata: { shop: hostile } })
await shop.pay(DECLINED, { country: 'FR' })

test('an analyst sees the approval rate, narrows it down to a country, and reads the chart as a table', async () => {
  const page = await desk.open('insights', { roles: ['analyst'] })
  await see(page, '75%')
  await page.locator('.uplot canvas').waitFor()
  expect(await barriers(page, 'dashboard-insights')).toEqual([])
  await page.getByLabel('Breakdown').selectOption('country')
  const germany = page.getByRole('row', { name: 'Germany' })
  await see(germany, '100%')
  await page.getByRole('row', { name: 'France' }).getByRole('button').press('Enter')
  await germany.waitFor({ state: 'detached' })
  await page.getByText('No payments').or(page.getByRole('definition').getByText('0%')).first().waitFor()
  await page.getByRole('button', { name: 'Remove the filter Country' }).click()
  await germany.waitFor()
  await page.getByRole('button', { name: 'Show as a table' }).press('Enter')
  await see(page.getByRole('table', { name: 'Approval rate. Over time' }), '75%')
  expect(await barriers(page, 'dashboard-insights-table')).toEqual([])
})

test('the volume is in the currency of most payments', async () => {
  const page = await desk.open('insights?metric=volume&by=payment_method_scheme')
  await see(page, '€60.00')
  expect(await page.getByLabel('Currency').inputValue()).toBe('EUR')
})

test('a filter offers the values that payments have, and hostile ones are shown as text', async () => {
  const page = await desk.open('insights?metric=transactions&by=metadata')
  await see(page.getByRole('row', { name: hostile }), '3')
  await page.getByRole('button', { name: 'Only some payments' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('By').selectOption('metadata')
  await dialog.getByLabel('Value').selectOption({ label: `shop: ${hostile}` })
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('button', { name: 'Remove the filter Metadata' }).waitFor()
  await see(page.getByRole('definition'), '3', { exact: true })
  expect(await barriers(page, 'dashboard-insights-hostile', false)).toEqual([])
  await expectShownAsText(page)
})

test('payments without a value are one of the values', async () => {
  const page = await desk.open('insights?metric=transactions&by=error_code')
  await page.getByRole('button', { name: 'No error' }).click()
  await page.getByRole('button', { name: 'Remove the filter Error code' }).waitFor()
  await see(page.getByRole('definition'), '3', { exact: true })
})

test('a preset keeps a question for everyone, is renamed and deleted', async () => {
  const page = await desk.open('insights?metric=transactions&range=P30D/now&country=DE&by=country', {
    roles: ['analyst'],
  })
  await page.getByRole('button', { name: 'Save as preset' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(hostile)
  await page.getByRole('dialog').getByRole('button', { name: 'Save as preset' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.goto(desk.url('insights'))
  await page.getByRole('button', { name: 'Presets' }).click()
  await page.getByRole('button', { name: `Rename ${hostile}` }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Germany')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('link', { name: 'Germany' }).waitFor()
  expect(await barriers(page, 'dashboard-insight-presets')).toEqual([])
  await page.getByRole('link', { name: 'Germany' }).click()
  await page.waitForURL(/country=DE/)
  // the address changes before the page shows it
  await expect.poll(() => page.getByLabel('Period', { exact: true }).inputValue()).toBe('P30D/now')
  await page.getByRole('button', { name: 'Presets' }).click()
  await page.getByRole('button', { name: 'Delete Germany' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await see(page, 'No presets yet')
})

test('a period without payments says so, and an impossible one shows the API’s reason', async () => {
  const page = await desk.open('insights?range=2020-01-01/2020-02-01')
  await see(page, 'No payments in this period')
  expect(await page.getByLabel('Period', { exact: true }).inputValue()).toBe('custom')
  await page.goto(desk.url('insights?range=nonsense'))
  await see(page.getByRole('alert').first(), 'Request id')
})

test('a person chooses days, of which the last one is counted, too', async () => {
  const [{ created_at }] = (await shop.get('/transactions')).body.items
  const today = created_at.slice(0, 10)
  const page = await desk.open('insights?metric=transactions')
  await page.getByLabel('Period', { exact: true }).selectOption('custom')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await see(page, 'Choose the first day')
  await page.getByLabel('From').fill(today)
  await page.getByLabel('To', { exact: true }).fill('2020-01-01')
  await see(page, 'Choose a day that is not before')
  expect(await barriers(page, 'dashboard-insights-days')).toEqual([])
  await page.getByLabel('To', { exact: true }).fill(today)
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.waitForURL(/range=/)
  await see(page.getByRole('definition'), '4', { exact: true })
  await page.reload()
  expect(await page.getByLabel('From').inputValue()).toBe(today)
  expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(today)
})

test('a preset of other payments says which', async () => {
  const page = await desk.open('insights?metric=transactions&source=authentication')
  await page.getByRole('button', { name: 'Save as preset' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Secured')
  await page.getByRole('dialog').getByRole('button', { name: 'Save as preset' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.goto(desk.url('insights'))
  await page.getByRole('button', { name: 'Presets' }).click()
  await page.getByRole('link', { name: 'Secured (With 3-D Secure)' }).click()
  await page.waitForURL(/source=authentication/)
})

test('support is not offered insights, and a system manager is not offered to save presets', async () => {
  const support = await desk.open('insights', { roles: ['customer-support'] })
  await see(support, 'Your role does not open this page')
  const manager = await desk.open('insights', { roles: ['system-manager'] })
  await see(manager, '75%')
  expect(await manager.getByRole('button', { name: 'Save as preset' }).count()).toBe(0)
})

test('a period is compared with the one before', async () => {
  railyard.clock.advance(7.5 * DAY_MS)
  await shop.pay(10_00)
  const page = await desk.open('insights')
  const figure = (name: string) => page.locator('dl > div').filter({ hasText: name }).getByRole('definition')
  await see(figure('this period'), '100%')
  await see(figure('Period before'), '75%')
  await see(figure('Change'), '+25 points')
  await page.getByText('Period before', { exact: true }).nth(1).waitFor()
  await page.getByLabel('Compare with the period before').click()
  await page.getByText('Period before', { exact: true }).first().waitFor({ state: 'detached' })
  await page.waitForURL(/compare=false/)
})
