import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { keepVerification } from '../../../src/verify/verification.store.ts'
import { openedIncident, watch } from '../../support/domains/monitoring.ts'
import { injectFaults } from '../../support/provider.ts'
import { addService, openShop } from '../../support/shop.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { railyard, shop } = desk
await railyard.monitoring.stop()

const DECLINED = 200012

const card = (page: Page, title: string) =>
  page
    .getByRole('main')
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: title, level: 2 }) })
/** A figure with what stands below it. */
const figure = async (page: Page, name: string) =>
  (await card(page, 'Figures').locator('dl > div').filter({ hasText: name }).innerText()).split('\n').slice(1)
const amounts = (page: Page, currency: string) =>
  card(page, 'Figures').getByRole('row').filter({ hasText: currency }).innerText()
const opened = (page: Page) =>
  card(page, 'Figures').getByRole('table', { name: 'Amounts by currency' }).waitFor()
const dispute = (payment: string) =>
  railyard.admin.post(
    `/sandbox/transactions/${payment}/simulate`,
    { event: 'dispute_notified' },
    { 'x-svc-merchant-account-id': shop.account },
  )

test('figures of a period stand against the one before, and currencies are never added up', async () => {
  await shop.sold(100_00)
  await (await shop.sold(50_00)).refund({ amount: 20_00 })
  expect((await shop.post('/sandbox/clock/advance', { by: 'P8D' })).status).toBe(200)
  const sold = await shop.sold(200_00)
  await sold.refund({ amount: 5_00 })
  await sold.refund({ amount: 5_00 })
  await shop.sold(70_00, { currency: 'USD' })
  await shop.pay(DECLINED)
  const disputed = await shop.sold(25_00)
  expect((await dispute(disputed.id)).status).toBe(200)
  const page = await desk.open('', { roles: ['analyst'] })
  await opened(page)
  expect(await figure(page, 'Payments')).toEqual(['4', '+100% from 2'])
  expect(await figure(page, 'Approval rate')).toEqual(['75%', '-25 points from 100%'])
  expect(await figure(page, 'Refunds')).toEqual(['2', '+100% from 1'])
  expect(await figure(page, 'Disputes')).toEqual(['1', 'none before'])
  expect((await amounts(page, 'EUR')).split(/[\n\t]+/)).toEqual([
    'EUR',
    '€225.00',
    '+50% from €150.00',
    '€10.00',
    '-50% from €20.00',
    '€25.00',
    'none before',
  ])
  expect(await amounts(page, 'USD')).toContain('$70.00')
  await card(page, 'Figures').locator('summary').click()
  expect(
    await card(page, 'Figures')
      .getByRole('table', { name: 'Payments and approval rate' })
      .getByRole('row')
      .count(),
  ).toBe(8)
  await page.getByRole('link', { name: '30 days' }).click()
  await see(page, 'Against the 30 days before')
  await expect.poll(() => figure(page, 'Payments')).toEqual(['6', 'none before'])
  await page.reload()
  await opened(page)
  expect(await figure(page, 'Payments')).toEqual(['6', 'none before'])
})

test('figures follow what happens, without a click', async () => {
  const page = await desk.open()
  await page.clock.install()
  await page.reload()
  await opened(page)
  const [before] = await figure(page, 'Payments')
  await shop.sold(10_00)
  // the stream has told of the payment once its lists are loaded again
  await page.waitForResponse(/\/transactions\?/)
  await page.clock.fastForward(15_000)
  await expect.poll(async () => (await figure(page, 'Payments'))[0]).toBe(String(Number(before) + 1))
})

const counted = (count: number, more = false) => ({ count, more })

test('what waits for a person leads to where it is done', async () => {
  const page = await desk.open()
  await page.route(/\/attention$/, async (route) => {
    const response = await route.fetch()
    const json = {
      ...(await response.json()),
      open_reviews: counted(3),
      unknown_operations: counted(0),
      disputes: {
        ...counted(2),
        next_evidence_due_at: new Date(Date.now() + 3.9 * 86_400_000).toISOString(),
      },
      unmatched_report_lines: counted(1000, true),
      failed_webhook_deliveries: counted(5),
    }
    await route.fulfill({ response, json })
  })
  await page.reload()
  const work = card(page, 'Waiting for you')
  await work.getByRole('link').first().waitFor()
  expect(await work.getByRole('link').count()).toBe(4)
  await see(work, 'The first is due in 4 days.')
  await see(work.getByRole('link', { name: 'Report lines' }), '1000+')
  for (const [name, path] of [
    ['Disputes', '/disputes'],
    ['Reviews', '/payments?pending_review=true'],
    ['Report lines', '/reconciliation'],
    ['Webhook deliveries', '/webhooks'],
  ] as const) {
    await work.getByRole('link', { name }).click()
    await page.waitForURL((url) => `${url.pathname}${url.search}`.endsWith(`/${shop.account}${path}`))
    await page.goBack()
    await work.waitFor()
  }
})

test('unknown outcomes lead to their payments, also to a captured one with an unknown refund', async () => {
  await shop.sold(44_00, { external_identifier: 'known' })
  const payment = await shop.sold(45_00, { external_identifier: 'refund-unknown' })
  await injectFaults(railyard, { operation: 'refund', kind: 'lost', times: 1 })
  await payment.refund({ amount: 5_00 })
  await injectFaults(railyard)
  const page = await desk.open()
  await card(page, 'Waiting for you').getByRole('link', { name: 'Outcomes unknown' }).click()
  await page.getByRole('row').filter({ hasText: 'refund-unknown' }).waitFor()
  await see(page, 'Outcome unknown Yes')
  expect(await page.getByRole('row').filter({ hasText: 'known' }).count()).toBe(1)
})

test('open incidents are listed, of monitoring and of the pages for buyers, as text', async () => {
  await openedIncident(railyard, shop, await watch(shop))
  await railyard.world.run(
    'update monitoring_incidents set display_name = $2 where merchant_account_id = $1',
    [shop.account, hostile],
  )
  await railyard.world.run(
    `insert into page_incidents (merchant_account_id, id, page, kind, subject, reports, last_reported_at, created_at, updated_at, closed_at)
     select $1, gen_random_uuid(), 'payment-link', 'script', subject, 1, now(), now(), now(), closed
       from (values ('https://cdn.example', null), ('https://closed.example', now())) as reported (subject, closed)`,
    [shop.account],
  )
  await shop.put(`/payment-services/${shop.paymentServiceId}`, { display_name: hostile })
  const page = await desk.open()
  const incidents = card(page, 'Open incidents')
  await incidents.getByRole('link', { name: 'https://cdn.example' }).waitFor()
  await see(incidents, 'Page of payment link: script')
  expect(await incidents.getByText('closed.example').count()).toBe(0)
  await see(card(page, 'Payment services'), '<script>')
  await expectShownAsText(page)
  await shop.put(`/payment-services/${shop.paymentServiceId}`, { display_name: 'Mock card' })
  await railyard.world.run(
    "update monitoring_incidents set display_name = 'Cards' where merchant_account_id = $1",
    [shop.account],
  )
})

test('the payment service in trouble stands first, and leads to its page', async () => {
  const id = await addService(railyard, shop, { display_name: 'Second service' })
  const now = new Date(railyard.clock.now()).toISOString()
  const circuit = {
    merchant_account_id: shop.account,
    payment_service_id: id,
    state: 'open' as const,
    openings: 1,
    good_probes: 0,
    version: 1,
    since: now,
    next_probe_at: now,
  }
  await railyard.world.db.insertInto('payment_service_circuits').values(circuit).execute()
  const page = await desk.open()
  const services = card(page, 'Payment services')
  const first = services.getByRole('listitem').first()
  await see(first, 'Circuit open')
  await first.getByRole('link', { name: 'Second service' }).click()
  await page.waitForURL(new RegExp(`payment-services/${id}`))
  await railyard.world.run('delete from payment_service_circuits where payment_service_id = $1', [id])
})

test('the last check of the books is shown, and what it found', async () => {
  const page = await desk.open('', { roles: ['customer-support'] })
  await see(card(page, 'Last check of the books'), 'Not checked yet')
  const { run } = railyard.world
  await keepVerification(run, railyard.clock, { findings: [shop.account, shop.account], brokenLinks: [] })
  await page.reload()
  await see(card(page, 'Last check of the books'), '2 differences')
  await see(card(page, 'Last check of the books'), 'tell the operator')
  await keepVerification(run, railyard.clock, { findings: [], brokenLinks: [] })
  await page.reload()
  await see(card(page, 'Last check of the books'), 'No differences')
})

test('a new account is led through its set-up until all is done or dismissed', async () => {
  const fresh = await openShop(railyard)
  const page = await desk.open()
  await page.goto(`${railyard.url}/dashboard/${fresh.account}`)
  const steps = card(page, 'Set up this merchant account')
  const step = (name: string) => steps.getByRole('listitem').filter({ hasText: name })
  await step('Connect a payment service').getByText(': done').waitFor({ state: 'attached' })
  await step('Make a test payment').getByText(': to do').waitFor({ state: 'attached' })
  await step('Register a webhook').getByText(': to do').waitFor({ state: 'attached' })
  expect(await barriers(page, 'dashboard-home-new')).toEqual([])
  await step('Make a test payment').getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: 'Sandbox' }).waitFor()
  await fresh.sold(10_00)
  await page.goBack()
  await step('Make a test payment').getByText(': done').waitFor({ state: 'attached' })
  await steps.getByRole('button', { name: 'Do not show this again' }).click()
  await steps.waitFor({ state: 'detached' })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.reload()
  await opened(page)
  expect(await steps.count()).toBe(0)
  // another person decides by themselves, and an account with payments is not new
  const second = await desk.open()
  await second.goto(`${railyard.url}/dashboard/${fresh.account}`)
  await card(second, 'Set up this merchant account').waitFor()
  for (let count = 0; count < 9; count++) await fresh.sold(10_00)
  await second.reload()
  await opened(second)
  expect(await card(second, 'Set up this merchant account').count()).toBe(0)
})

test('each part fails by itself and says the request’s id, and comes back', async () => {
  const page = await desk.open()
  await opened(page)
  const failing = /\/metrics-explorer\/summary/
  await page.route(failing, (route) =>
    route.fulfill({
      status: 500,
      json: { type: 'error', code: 'internal_error', status: 500, message: 'It failed', details: [] },
      headers: { 'x-request-id': 'request-4711' },
    }),
  )
  await page.reload()
  await see(card(page, 'Figures').getByRole('alert'), 'request-4711')
  await card(page, 'Payment services').getByRole('listitem').first().waitFor()
  await page.unroute(failing)
  await card(page, 'Figures').getByRole('button', { name: 'Try again' }).click()
  await opened(page)
})

test('a person sees the parts that their role opens, and nothing else is asked for', async () => {
  for (let count = 0; count < 10; count++) await shop.sold(10_00)
  const expectTitles = async (roles: string[], titles: string[]) => {
    const page = await desk.open('profile', { roles })
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() === 403 && !/\/attention$|\/events\/stream$/.test(response.url()))
        refused.push(response.url())
    })
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page
      .getByRole('heading', { level: 2 })
      .or(page.getByText('Your role shows nothing here'))
      .last()
      .waitFor()
    const shown = () => page.getByRole('main').getByRole('heading', { level: 2 }).allInnerTexts()
    await expect.poll(shown).toEqual(titles)
    await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
    expect(refused).toEqual([])
  }
  const all = ['Figures', 'Waiting for you', 'Open incidents', 'Payment services', 'Last check of the books']
  await expectTitles(['administrator'], all)
  await expectTitles(['analyst'], all)
  await expectTitles(['customer-support'], ['Waiting for you', 'Payment services', 'Last check of the books'])
  await expectTitles(['user-manager'], [])
})

test('Home has no barriers', async () => {
  const page = await desk.open()
  await opened(page)
  await card(page, 'Payment services').getByRole('listitem').first().waitFor()
  await card(page, 'Open incidents').getByRole('link').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-home')).toEqual([])
})
