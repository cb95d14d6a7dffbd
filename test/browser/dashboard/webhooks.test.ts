import { expect, onTestFinished, test } from 'vitest'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { hostileText, ranAsMarkup } from './hostile.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { shop } = desk

async function receiver(): Promise<Receiver> {
  const started = await startReceiver()
  onTestFinished(() => started.close())
  return started
}

const subscribe = async (to: Receiver) =>
  (await shop.post('/webhook-subscriptions', { url: to.url })).body as { id: string; secret: string }

test('an administrator adds a subscription, sees its secret once, and tests it', async () => {
  const backend = await receiver()
  const page = await desk.open('webhooks')
  await see(page, 'No webhook subscriptions')
  expect(await barriers(page, 'dashboard-webhooks-empty')).toEqual([])
  await page.getByRole('button', { name: 'Add a subscription' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill('ftp://nowhere.example')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('alert').first().waitFor()
  await dialog.getByLabel('URL').fill(backend.url)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await see(page, 'Store the signing secret now')
  const secret = (await dialog.locator('pre').textContent()) ?? ''
  expect(secret).toMatch(/^[\w-]{40,}$/)
  expect(await barriers(page, 'dashboard-webhook-secret')).toEqual([])
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('link', { name: backend.url }).click()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await see(dialog, 'The receiver accepted the test event.')
  await see(dialog, 'thanks')
  expect(backend.received.map(({ event }) => event.name)).toEqual(['webhook-subscription.test'])
  expect(await page.content()).not.toContain(secret)
})

test('the deliveries of a subscription appear while its page is open', async () => {
  const backend = await receiver()
  const { id } = await subscribe(backend)
  const page = await desk.open(`webhooks/${id}`)
  await see(page, 'No deliveries')
  // the page listens to the account's events, which do not tell of deliveries
  const listening = page.waitForResponse((response) => response.url().endsWith('/events/stream'))
  await page.reload()
  await listening
  await see(page, 'No deliveries')
  await shop.authorized(10_00)
  await page.getByRole('row').filter({ hasText: 'transaction.' }).first().waitFor()
})

test('a delivery shows the answer of the receiver, and is sent again; a replay sends a span of time', async () => {
  const backend = await receiver()
  backend.answers(503)
  const { id } = await subscribe(backend)
  await shop.sold(10_00, { external_identifier: hostileText })
  await backend.hasReceived(1)
  const page = await desk.open(`webhooks/${id}?status=waiting`)
  const row = page.getByRole('row').filter({ hasText: '503' }).first()
  await row.waitFor()
  expect(await barriers(page, 'dashboard-webhook')).toEqual([])
  await row.getByRole('link').first().click()
  await page.getByRole('heading', { name: 'What is sent' }).waitFor()
  await see(page, 'status 503')
  expect(await ranAsMarkup(page)).toEqual([])
  expect(await barriers(page, 'dashboard-webhook-delivery')).toEqual([])
  backend.answers(200)
  const before = backend.received.length
  await page.getByRole('button', { name: 'Send again' }).click()
  await backend.hasReceived(before + 1)
  await see(page.getByRole('heading', { level: 1 }), 'Delivered')

  await page.goto(desk.url(`webhooks/${id}`))
  await page.getByRole('button', { name: 'Replay' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Replay' }).click()
  await see(dialog, 'Enter when it begins')
  await dialog.getByLabel('From').fill('2020-01-01T00:00')
  await dialog.getByLabel('transaction.captured').check()
  await dialog.getByRole('button', { name: 'Replay' }).click()
  await see(page, '1 event is sent again')
})

test('a payment leads to its deliveries, and the filter stays when another state is chosen', async () => {
  const backend = await receiver()
  const { id } = await subscribe(backend)
  const payment = await shop.sold(10_00)
  const other = await shop.sold(20_00)
  await backend.hasReceived(2)
  const page = await desk.open(`payments/${payment.id}`)
  await page.getByRole('link', { name: backend.url }).click()
  await page.waitForURL((url) => url.pathname.endsWith(`/webhooks/${id}`))
  await page
    .getByRole('row')
    .filter({ hasText: payment.id.slice(0, 18) })
    .waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  await page.getByRole('link', { name: 'Given up' }).click()
  await see(page, 'No delivery matches')
  expect(new URL(page.url()).searchParams.get('resource_id')).toBe(payment.id)
  await page.getByRole('link', { name: 'All', exact: true }).click()
  await page
    .getByRole('row')
    .filter({ hasText: payment.id.slice(0, 18) })
    .waitFor()
  await page.getByRole('button', { name: 'Remove the filter Resource' }).click()
  await page
    .getByRole('row')
    .filter({ hasText: other.id.slice(0, 18) })
    .waitFor()
})

test('support is not led to deliveries', async () => {
  const payment = await shop.sold(10_00)
  const page = await desk.open(`payments/${payment.id}`, { roles: ['customer-support'] })
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
  await see(page.getByRole('definition'), payment.id.slice(0, 18))
  expect(await page.getByText('Deliveries to').count()).toBe(0)
})

test('a subscription is paused, gets a new secret, authenticates and is deleted', async () => {
  const backend = await receiver()
  const { id, secret } = await subscribe(backend)
  const at = `/webhook-subscriptions/${id}`
  const page = await desk.open(`webhooks/${id}`)
  const dialog = page.getByRole('dialog')
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await choose('Pause')
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await see(page.getByRole('heading', { level: 1 }), 'Paused')
  await choose('Rotate the secret')
  await dialog.getByRole('button', { name: 'Rotate the secret' }).click()
  await see(page, 'Store the signing secret now')
  const shown = await dialog.locator('pre').textContent()
  const { body: rotated } = await shop.get(at)
  expect(rotated).toMatchObject({ active: false, rotating: true, secret: shown })
  expect(shown).not.toBe(secret)
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('How Railyard authenticates').selectOption('basic')
  await dialog.getByLabel('User name').fill('shop')
  await dialog.getByLabel('Password').fill('hush hush')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await see(page, 'User name and password')
  expect((await shop.get(at)).body.authentication).toMatchObject({ kind: 'basic', username: 'shop' })
  await choose('Delete')
  await see(dialog, 'This cannot be undone')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  expect((await shop.get(at)).status).toBe(404)
})

test('the event log shows what happens, by resource, with what was sent', async () => {
  const payment = await shop.sold(12_00, { external_identifier: hostileText })
  const page = await desk.open(`event-log?resource_id=${payment.id}`)
  await page.getByRole('button', { name: 'transaction.captured' }).click()
  await see(page.getByRole('dialog'), '<img src=x')
  expect(await ranAsMarkup(page)).toEqual([])
  expect(await barriers(page, 'dashboard-event')).toEqual([])
  await page.keyboard.press('Escape')
  // without reloading
  await payment.refund({ amount: 2_00 })
  await page.goto(desk.url('event-log'))
  await page.getByRole('button', { name: 'refund.succeeded' }).first().waitFor()
  await payment.refund({ amount: 3_00 })
  await page.getByRole('button', { name: 'refund.succeeded' }).nth(1).waitFor()
  expect(await barriers(page, 'dashboard-event-log')).toEqual([])
  await page.getByRole('link', { name: payment.id }).first().click()
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
})

test.each(['customer-support', 'analyst'])(
  '%s is offered neither webhooks nor the event log',
  async (role) => {
    const page = await desk.open('webhooks', { roles: [role] })
    await see(page, 'Your role does not open this page')
    expect(await page.getByRole('link', { name: /Webhooks|Event log/ }).count()).toBe(0)
  },
)
