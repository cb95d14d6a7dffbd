import { expect, test } from 'vitest'
import { takeSamples } from '../../../src/monitoring/sampling.ts'
import { openedPageIncident } from '../../support/domains/hosted-pages.ts'
import { openedIncident, watch } from '../../support/domains/monitoring.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile } from './hostile-text.ts'
import { see } from './see.ts'

const MINUTE_MS = 60_000
const DECLINED = 200_011

const desk = await openDesk()
const { railyard, shop } = desk
// only the tests take samples
await railyard.monitoring.stop()

async function passMinutes(count: number) {
  for (let minute = 0; minute < count; minute += 1) {
    railyard.clock.advance(MINUTE_MS)
    await takeSamples(railyard.world)
  }
}

test('a person watches the approval rate, sees it fall below its threshold, changes the threshold, and deletes it', async () => {
  const page = await desk.open('monitoring')
  await see(page, 'Nothing is watched yet')
  await page.getByRole('button', { name: 'Watch a metric' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('All cards')
  await dialog.getByLabel('Alert below, in %').fill('many')
  await see(dialog, 'Enter a number from 0 to 100')
  await dialog.getByLabel('Alert below, in %').fill('82.5')
  await dialog.getByLabel('Open it after').fill('1')
  await dialog.getByRole('button', { name: 'Methods: All' }).click()
  await dialog.getByLabel('card', { exact: true }).check()
  expect(await barriers(page, 'dashboard-new-metric')).toEqual([])
  await dialog.getByRole('button', { name: 'Watch a metric' }).click()
  await page.getByRole('heading', { name: 'All cards' }).waitFor()
  expect(
    (await shop.get('/monitoring/metrics?samples_timestamp_interval=PT1H/now')).body.items,
  ).toMatchObject([
    {
      display_name: 'All cards',
      spec: {
        params: { filters: { datetime_range: 'PT15M/now', method: ['card'], payment_method_scheme: null } },
      },
      alerting_policy: { params: { alert_lt: 0.825, alert_gt: null } },
      incident_policy: { params: { create_after_n: 1, close_after_n: 3 } },
    },
  ])
  for (const amount of [10_00, 20_00, DECLINED]) await shop.pay(amount)
  await passMinutes(3)
  await page.reload()
  await see(page, '66.7%')
  await page.locator('.uplot canvas').waitFor()
  expect(await barriers(page, 'dashboard-monitoring')).toEqual([])
  await page.getByRole('link', { name: 'All cards' }).click()
  await page.getByRole('row', { name: 'Open All cards' }).waitFor()
  await see(page, 'Alert below 82.5%')
  await page.getByRole('button', { name: 'Show as a table: All cards' }).press('Enter')
  await see(page.getByRole('table', { name: 'All cards' }), '66.7%')
  expect(await barriers(page, 'dashboard-metric')).toEqual([])
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Alert below, in %').fill('50')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await see(page, 'Alert below 50%')
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await see(page, 'Nothing is watched yet')
})

test('a person notes what was found about an incident, and hostile names and notes are text', async () => {
  const metric = await watch(shop, { display_name: hostile })
  const id = await openedIncident(railyard, shop, metric)
  const page = await desk.open('monitoring/incidents')
  await page.getByRole('link', { name: hostile }).waitFor()
  expect(await barriers(page, 'dashboard-incidents')).toEqual([])
  await page.getByRole('link', { name: hostile }).click()
  await page.waitForURL(desk.url(`monitoring/incidents/${id}`))
  await page.getByLabel('Notes').fill(hostile.repeat(4))
  await page.getByRole('button', { name: 'Save notes' }).click()
  await see(page, 'Saved')
  expect((await shop.get(`/monitoring/incidents/${id}`)).body.notes).toBe(hostile.repeat(4))
  expect(await barriers(page, 'dashboard-incident')).toEqual([])
  await page.goto(desk.url('audit-log?resource_type=monitoring.incident'))
  await page.getByRole('link', { name: hostile }).click()
  await page.waitForURL(desk.url(`monitoring/incidents/${id}`))
  const reader = await desk.open(`monitoring/incidents/${id}`, { roles: ['analyst'] })
  await see(reader, hostile)
  expect(await reader.getByRole('button', { name: 'Save notes' }).count()).toBe(0)
  await expectShownAsText(reader)
  await reader.goto(desk.url(`monitoring/metrics/${metric}`))
  await reader.getByRole('heading', { name: hostile }).waitFor()
  expect(await reader.getByRole('button', { name: 'Delete' }).count()).toBe(0)
})

test('a person looks into what a browser has blocked on a page for buyers, and closes it', async () => {
  const id = await openedPageIncident(railyard, shop)
  const page = await desk.open('monitoring/hosted-pages')
  await page.getByRole('link', { name: 'Pages for buyers (1 open)' }).waitFor()
  const row = page.getByRole('row').filter({ hasText: 'https://evil.example' })
  await see(row, 'Script blocked')
  await see(page.getByRole('table', { name: 'Inventory of scripts' }), 'Payment link')
  expect(await barriers(page, 'dashboard-hosted-pages')).toEqual([])
  await row.getByRole('link').click()
  await see(page, 'The script did not run')
  expect(await barriers(page, 'dashboard-page-incident')).toEqual([])
  await page.getByRole('button', { name: 'Close incident' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close incident' }).click()
  await see(page.getByRole('heading', { level: 1 }), 'Closed')
  expect((await shop.get(`/hosted-pages/incidents/${id}`)).body.closed_at).not.toBeNull()
})

test('a person who may only look is offered no change', async () => {
  const id = await openedPageIncident(railyard, shop, 'https://other.example')
  const page = await desk.open('monitoring', { roles: ['system-support'] })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('link', { name: /^Pages for buyers/ }).click()
  await page.getByRole('row').filter({ hasText: 'https://other.example' }).getByRole('link').click()
  await page.waitForURL(desk.url(`monitoring/hosted-pages/${id}`))
  await see(page, 'No notes yet')
  const names = await page.getByRole('main').getByRole('button').allTextContents()
  expect(names).toEqual([])
  await page.goto(desk.url('monitoring'))
  await page.getByLabel('Period').waitFor()
  expect(await page.getByRole('button', { name: 'Watch a metric' }).count()).toBe(0)
})

test('support is not offered monitoring', async () => {
  const page = await desk.open('monitoring', { roles: ['customer-support'] })
  await see(page, 'Your role does not open this page')
})
