import { expect, test } from 'vitest'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { hostileText, ranAsMarkup } from './hostile.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { shop, railyard } = desk
const faults = async () => (await railyard.admin.get('/sandbox/faults')).body.items

test('support makes a test payment with one click, watches it, and has it settled and charged back', async () => {
  const page = await desk.open('sandbox', { roles: ['customer-support'] })
  expect(await page.getByRole('link', { name: 'Faults' }).count()).toBe(0)
  // nobody types a card number
  expect(await page.getByRole('textbox').evaluateAll((all) => all.map((each) => each.id).length)).toBe(1)
  expect(await barriers(page, 'dashboard-sandbox-payment')).toEqual([])
  await page.getByLabel('Capture', { exact: true }).selectOption('capture')
  await page.getByRole('button', { name: 'Make the payment' }).click()
  await see(page.getByRole('main'), 'Captured', { exact: true })
  const id = new URL(page.url()).searchParams.get('payment') ?? ''
  expect(await shop.payment(id).read()).toMatchObject({ status: 'capture_succeeded', amount: 12_99 })
  await page.getByRole('button', { name: 'Make it happen' }).click()
  await see(page, 'It happened')
  expect((await shop.payment(id).read()).settled).toBe(true)
  await page.getByLabel('What happens').last().selectOption('disputed')
  await page.getByLabel('Amount (EUR)').fill('5.00')
  await page.getByRole('button', { name: 'Make it happen' }).click()
  await see(page, '€5.00')
  expect(await shop.payment(id).read()).toMatchObject({ disputed_amount: 5_00 })
  expect(await barriers(page, 'dashboard-sandbox-watched')).toEqual([])
})

test('an event that does not fit says which do, and a pending payment shows its end without reloading', async () => {
  const payment = await shop.pay(540_001)
  const page = await desk.open(`sandbox?tab=payment&payment=${payment.body.id}`)
  await see(page, 'Unknown: being looked up')
  await page.getByLabel('What happens').last().selectOption('settled')
  await page.getByRole('button', { name: 'Make it happen' }).click()
  await see(page, 'These fit now')
  await page.getByLabel('What happens').last().selectOption('completed')
  const made = page.waitForResponse(/simulate$/)
  await page.getByRole('button', { name: 'Make it happen' }).click()
  await made
  await see(page.getByRole('main'), 'Authorized', { exact: true })
  // what happens elsewhere is shown, too
  expect(await shop.payment(payment.body.id).void()).toMatchObject({ status: 200 })
  await see(page, 'Voided')
})

test('a payment by a wallet that is not set up says why it is refused', async () => {
  const page = await desk.open('sandbox')
  await page.getByLabel('Pays with').selectOption('applepay')
  await page.getByRole('button', { name: 'Make the payment' }).click()
  await page.getByRole('main').getByRole('alert').waitFor()
})

test('an administrator sets a fault, sees what it does and how often it struck, and ends it', async () => {
  const page = await desk.open('sandbox?tab=faults')
  await see(page, 'Everything works')
  await page.getByRole('button', { name: 'Add a fault' }).click()
  const dialog = page.getByRole('dialog')
  await see(dialog, 'Processed, then the connection is cut.')
  expect(await barriers(page, 'dashboard-sandbox-fault-form')).toEqual([])
  await dialog.getByLabel('How often').fill('2')
  await dialog.getByRole('button', { name: 'Add a fault' }).click()
  await see(page, 'Struck 0')
  expect(await faults()).toMatchObject([
    { kind: 'lost', operation: 'authorize', times: 2, payment_service_id: shop.paymentServiceId },
  ])
  expect((await shop.pay(10_00)).body.status).toBe('processing')
  await see(page, 'Struck 1')
  expect(await barriers(page, 'dashboard-sandbox-faults')).toEqual([])
  // the fault that is added does not let the first one strike once more
  await page.getByRole('button', { name: 'Add a fault' }).click()
  await dialog.getByLabel('Fault', { exact: true }).selectOption('delay')
  await dialog.getByLabel('Delay in milliseconds').fill('1')
  await dialog.getByRole('button', { name: 'Add a fault' }).click()
  await see(page, 'Slow answers')
  expect(await faults()).toMatchObject([{ kind: 'delay' }, { kind: 'lost', times: 1 }])
  await page.getByRole('button', { name: 'End it' }).first().click()
  await page.getByText('Slow answers').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Mend everything' }).click()
  await dialog.getByRole('button', { name: 'Mend everything' }).click()
  await see(page, 'Everything works', { exact: true })
  expect(await faults()).toEqual([])
})

test('an administrator advances the clock after a warning, and sees what came due', async () => {
  const page = await desk.open('sandbox?tab=clock')
  await page.getByRole('button', { name: 'Advance the clock' }).click()
  const dialog = page.getByRole('dialog')
  await see(dialog, 'A clock never goes back.')
  expect(await barriers(page, 'dashboard-sandbox-clock')).toEqual([])
  await dialog.getByLabel('By').selectOption('604800')
  await dialog.getByRole('button', { name: 'Advance the clock' }).click()
  await see(page, 'What was done on the way')
  expect((await shop.get('/sandbox/clock')).body.ahead_seconds).toBeGreaterThan(600_000)
})

test('an analyst sees the clock and the amounts, and changes nothing', async () => {
  const page = await desk.open('sandbox', { roles: ['analyst'] })
  await see(page, 'Time of this merchant account')
  expect(await page.getByRole('button', { name: 'Advance the clock' }).count()).toBe(0)
  expect(await page.getByRole('link', { name: /Try a payment|Faults/ }).count()).toBe(0)
  await page.getByRole('link', { name: 'Test cards and amounts' }).click()
  await see(page, '200011')
  expect(await barriers(page, 'dashboard-sandbox-amounts')).toEqual([])
})

test('what strangers typed is text in the sandbox', async () => {
  const { body } = await shop.pay(13_00, { external_identifier: hostileText })
  const page = await desk.open(`sandbox?payment=${body.id}`)
  await see(page, 'The payment now')
  expect(await ranAsMarkup(page)).toEqual([])
  await page.goto(desk.url(`sandbox?payment=${encodeURIComponent(hostileText)}`))
  await page.getByRole('main').getByRole('alert').waitFor()
  expect(await ranAsMarkup(page)).toEqual([])
})

test('test cards are good while the clock of the account is years ahead', async () => {
  expect(await shop.post('/sandbox/clock/advance', { by: 'P9Y' })).toMatchObject({ status: 200 })
  const page = await desk.open('sandbox')
  await page.getByRole('button', { name: 'Make the payment' }).click()
  await see(page.getByRole('main'), 'Authorized', { exact: true })
})

test('production has no sandbox', async () => {
  const page = await desk.open()
  await page.getByRole('link', { name: 'Sandbox' }).waitFor()
  await page.route(desk.url('sandbox'), async (route) => {
    const response = await route.fetch()
    const document = await response.text()
    const body = document.replace('data-environment="sandbox"', 'data-environment="production"')
    await route.fulfill({ response, body })
  })
  await page.goto(desk.url('sandbox'))
  await see(page, 'There is no such page')
  expect(await page.getByRole('link', { name: 'Sandbox' }).count()).toBe(0)
})
