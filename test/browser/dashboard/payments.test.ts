import { expect, test } from 'vitest'
import { checkoutWords } from '../../../src/elements/words/checkout-words.ts'
import { routeTo, setLive } from '../../support/domains/replay.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { see } from './see.ts'

const desk = await openDesk()

/** What merchants, buyers and providers could write into a page. */
const hostile = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  'javascript:alert(1)',
  '\u202eevil',
  'x'.repeat(180),
]

test('a person finds a payment by its reference and captures it once, however often they click', async () => {
  const payment = await desk.shop.authorized(75_20, { external_identifier: 'order-4711' })
  await desk.shop.authorized(12_99, { external_identifier: 'order-4712' })
  const page = await desk.open('payments')
  await page.getByRole('row').filter({ hasText: 'order-4712' }).waitFor()
  await page.getByRole('searchbox').fill('order-4711')
  await page.keyboard.press('Enter')
  await page.getByRole('row').filter({ hasText: 'order-4712' }).waitFor({ state: 'detached' })
  await page.getByRole('row').filter({ hasText: 'order-4711' }).click()
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Capture' }).dblclick()
  await see(page.getByRole('heading', { level: 1 }), 'Captured')
  expect(await payment.captures()).toHaveLength(1)
})

test('a dialog stays open while it does something, so that the same is not done again under another key', async () => {
  const payment = await desk.shop.sold(75_20, { external_identifier: 'order-4713' })
  const page = await desk.open(`payments/${payment.id}`)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  const dialog = page.getByRole('dialog')
  const { promise, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/refunds', async (route) => {
    await promise
    await route.continue()
  })
  await dialog.getByLabel('Amount').fill('5.00')
  const asked = page.waitForRequest('**/refunds')
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await asked
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Cancel' }).click({ force: true })
  expect(await dialog.isVisible()).toBe(true)
  release()
  await dialog.waitFor({ state: 'detached' })
  expect(await payment.refunds()).toHaveLength(1)
})

test('one box searches by e-mail address, last four digits and amount', async () => {
  const buyer = { billing_details: { email_address: 'grace@example.com' } }
  await desk.shop.authorized(33_33, { external_identifier: 'by-mail', buyer })
  const page = await desk.open('payments')
  const box = page.getByRole('searchbox')
  for (const [text, isFound] of [
    ['grace@example.com', true],
    ['ada@example.com', false],
    ['33.33', true],
    ['USD 33.33', false],
    ['33,33 EUR', true],
    ['0005', false],
    ['1111', true],
  ] as const) {
    await box.fill(text)
    await page.keyboard.press('Enter')
    await (isFound
      ? page.getByRole('row').filter({ hasText: 'by-mail' })
      : page.getByText('No payment matches')
    ).waitFor()
  }
})

test('what a person types while the page turns to a search stays in the box', async () => {
  const page = await desk.open('payments')
  const box = page.getByRole('searchbox')
  await box.fill('order-1')
  await box.press('Enter')
  await page.waitForURL(/search=order-1/)
  await box.fill('order-2')
  await page.evaluate(`{
    const input = document.querySelector('input[type=search]')
    input.form.requestSubmit()
    input.setRangeText('3', input.value.length - 1, input.value.length)
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }`)
  await page.waitForURL(/search=order-2/)
  await page.getByText('No payment matches').waitFor()
  expect(await box.inputValue()).toBe('order-3')
  await page.goBack()
  await expect.poll(() => box.inputValue()).toBe('order-1')
})

test('a declined payment says why once, in words and in the answer of the service', async () => {
  const { body } = await desk.shop.pay(200_011)
  const page = await desk.open(`payments/${body.id}`)
  const entry = page.getByRole('listitem').filter({ hasText: 'declined the payment' })
  await see(entry, 'insufficient funds', { exact: true })
  await see(page.getByRole('definition'), 'insufficient_funds', { exact: true })
})

test('a declined payment says what to tell the buyer, in the words of the checkout; a paid one does not', async () => {
  const { body } = await desk.shop.pay(200_011)
  const page = await desk.open(`payments/${body.id}`, { roles: ['customer-support'] })
  const advice = checkoutWords.find(({ lang }) => lang === 'en')?.declined.bank
  await see(page.getByRole('definition'), advice ?? expect.fail(), { exact: true })
  await page.goto(desk.url(`payments/${(await desk.shop.sold(10_00)).id}`))
  await see(page.getByRole('heading', { level: 1 }), 'Captured')
  await see(page, 'Short id')
  expect(await page.getByText('Tell the buyer').count()).toBe(0)
})

test('refunds stand in what happened to a payment, with their outcome and the way to them', async () => {
  const payment = await desk.shop.sold(50_00)
  await payment.refund({ amount: 12_34, reason: hostile[0] })
  const declined = await desk.shop.sold(520_002)
  await declined.refund()
  const page = await desk.open(`payments/${payment.id}`)
  const entry = (title: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('link', { name: title }) })
  await see(entry('Refund of €12.34'), `Refunded · ${hostile[0]}`)
  expect(await barriers(page, 'dashboard-payment-refunded')).toEqual([])
  await page.getByRole('button', { name: 'Show requests and answers' }).click()
  await see(entry('Refund of €12.34'), '"amount": 1234')
  await entry('Refund of €12.34').getByRole('link').click()
  await see(page.getByRole('heading', { level: 1 }), '€12.34')
  await page.goto(desk.url(`payments/${declined.id}`))
  await see(entry('Refund of €5,200.02'), /^Declined · /)
})

test('a payment and a refund lead to their events, for people who may read them', async () => {
  const payment = await desk.shop.sold(50_00)
  const refund = (await payment.refund({ amount: 12_34 })).body
  const page = await desk.open(`payments/${payment.id}`)
  await page.getByRole('link', { name: 'Show the events' }).click()
  await page.getByRole('button', { name: 'transaction.captured' }).waitFor()
  expect(await page.getByRole('button', { name: 'refund.succeeded' }).count()).toBe(0)
  await page.goto(desk.url(`refunds/${refund.id}`))
  await page.getByRole('link', { name: 'Show the events' }).click()
  await page.getByRole('button', { name: 'refund.succeeded' }).waitFor()
  const analyst = await desk.open(`payments/${payment.id}`, { roles: ['analyst'] })
  await see(analyst, 'Short id')
  expect(await analyst.getByRole('link', { name: 'Show the events' }).count()).toBe(0)
})

test('a payment shows its status as soon as it changes, without a click', async () => {
  const payment = await desk.shop.authorized(10_00)
  const page = await desk.open(`payments/${payment.id}`)
  await see(page.getByRole('heading', { level: 1 }), 'Authorized')
  await payment.capture()
  await see(page.getByRole('heading', { level: 1 }), 'Captured')
})

test('a part is captured; what is no amount, or too much, is refused with the reason', async () => {
  const payment = await desk.shop.authorized(20_00)
  const page = await desk.open(`payments/${payment.id}`)
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill('twelve')
  await see(dialog, 'Enter an amount such as 12.50')
  await dialog.getByLabel('Amount').fill('99.00')
  await dialog.getByRole('button', { name: 'Capture' }).click()
  await dialog.getByRole('alert').first().waitFor()
  await dialog.getByLabel('Amount').fill('12,50')
  await dialog.getByRole('button', { name: 'Capture' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await payment.read()).captured_amount).toBe(12_50)
})

test('an action without an amount says that one is needed', async () => {
  const { id } = await desk.shop.authorized(10_00)
  const page = await desk.open(`payments/${id}`)
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill('')
  await dialog.getByRole('button', { name: 'Capture', exact: true }).click()
  await see(dialog, 'Enter an amount such as 12.50')
})

test('a refund is made, and an action that is not possible says why', async () => {
  const payment = await desk.shop.sold(40_00)
  const page = await desk.open(`payments/${payment.id}`)
  await page.getByRole('button', { name: 'Capture', exact: true }).hover()
  await see(page, 'Nothing is left to be captured')
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Amount').fill('15.00')
  await page.getByRole('dialog').getByRole('button', { name: 'Refund' }).click()
  await see(page.getByRole('heading', { level: 1 }), 'Partly refunded')
  expect((await payment.read()).refunded_amount).toBe(15_00)
})

test('selected payments are captured together, and those that fail are listed with the reason', async () => {
  const good = await desk.shop.authorized(5_00, { external_identifier: 'bulk-good' })
  const voided = await desk.shop.authorized(6_00, { external_identifier: 'bulk-voided' })
  await voided.void()
  const page = await desk.open('payments')
  for (const reference of ['bulk-good', 'bulk-voided'])
    await page.getByRole('row').filter({ hasText: reference }).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Capture' }).click()
  const dialog = page.getByRole('dialog')
  await see(dialog, '€11.00')
  await dialog.getByRole('button', { name: 'Capture' }).click()
  await see(dialog, '2 of 2 done, 1 failed')
  await dialog.getByRole('link', { name: 'bulk-voided' }).waitFor()
  expect((await good.read()).captured_amount).toBe(5_00)
})

test('a selected payment whose capture was declined is captured anew when it is tried again', async () => {
  const payment = await desk.shop.authorized(500_002, { external_identifier: 'bulk-declined' })
  const page = await desk.open('payments')
  await page.getByRole('row').filter({ hasText: 'bulk-declined' }).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Capture' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Capture' }).click()
  await see(dialog, '1 of 1 done, 1 failed')
  const again = page.waitForResponse('**/capture')
  await dialog.getByRole('button', { name: 'Try the failed ones again' }).click()
  await again
  expect(await payment.captures()).toHaveLength(2)
})

test('the reference and metadata are edited', async () => {
  const payment = await desk.shop.authorized(4_00, { external_identifier: 'typo', metadata: { cart: '1' } })
  const page = await desk.open(`payments/${payment.id}`)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Edit reference and metadata' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reference').fill('order-4799')
  await dialog.getByLabel('Metadata').fill('cart = 2\nshop')
  await see(dialog, 'Each line is name=value')
  await dialog.getByLabel('Metadata').fill('cart = 2\nshop = berlin')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await see(page, 'berlin')
  expect(await payment.read()).toMatchObject({
    external_identifier: 'order-4799',
    metadata: { cart: '2', shop: 'berlin' },
  })
})

test('metadata that no line can hold stays as it is when the reference is edited', async () => {
  const metadata = { 'a=b': 'c', note: 'first line\nsecond line' }
  const payment = await desk.shop.authorized(4_00, { external_identifier: 'lines', metadata })
  const page = await desk.open(`payments/${payment.id}`)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Edit reference and metadata' }).click()
  await page.getByRole('dialog').getByLabel('Reference').fill('order-4800')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await see(page, 'order-4800')
  expect(await payment.read()).toMatchObject({ external_identifier: 'order-4800', metadata })
})

test('a view is saved for everyone, and opens the same list for a colleague', async () => {
  await desk.shop.authorized(7_77, { external_identifier: 'view-1', currency: 'USD' })
  const page = await desk.open('payments?currency=USD')
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Dollars')
  await page.getByRole('dialog').getByRole('checkbox').check()
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('link', { name: 'Dollars' }).waitFor()
  const colleague = await desk.open('payments', { roles: ['customer-support'] })
  await colleague.getByRole('link', { name: 'Dollars' }).click()
  await colleague.getByRole('row').filter({ hasText: 'view-1' }).waitFor()
  expect(colleague.url()).toContain('currency=USD')
  await page.getByRole('button', { name: 'Delete view' }).click()
  await see(page, 'for everyone who works with this merchant account')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click()
  await see(page, 'The view is deleted')
  await page.getByRole('link', { name: 'Dollars' }).waitFor({ state: 'detached' })
})

test('an export has the payments of the list, and no formula', async () => {
  await desk.shop.authorized(1_00, { external_identifier: '=1+1', currency: 'GBP' })
  const page = await desk.open('payments?currency=GBP')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  const text = await (await file.createReadStream()).toArray()
  expect(Buffer.concat(text).toString()).toContain(",'=1+1,authorization_succeeded,GBP,1.00,")
})

test('a filter by time is the same moment in another time zone', async () => {
  const page = await desk.open('payments', { browser: { timezoneId: 'Asia/Tokyo' } })
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').first().selectOption({ label: 'Created from' })
  await dialog.getByLabel('Created from').fill('2026-01-01T09:30')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await page.waitForURL(/created_at_gte=2026-01-01T00%3A30%3A00/)
  await page.getByRole('button', { name: 'Show times in UTC' }).click()
  await page.getByRole('button', { name: /^Created from/ }).click()
  expect(await dialog.getByLabel('Created from').inputValue()).toBe('2026-01-01T00:30')
})

test('a payment says in words why a rule chose its payment service', async () => {
  const big = { field: 'amount', operator: 'gte', value: 10_00, currency: 'EUR' }
  const notYen = { not: { field: 'currency', operator: 'is', value: 'JPY' } }
  await setLive(desk.shop, [{ ...routeTo(desk.shop.paymentServiceId), condition: { all: [big, notYen] } }])
  const { id } = await desk.shop.sold(12_00)
  const page = await desk.open(`payments/${id}`)
  await see(page, 'Amount is at least €10.00')
  await see(page, 'not: Currency is JPY')
})

test('keys move through the list, select and open', async () => {
  await desk.shop.authorized(2_00, { external_identifier: 'keys-1' })
  const page = await desk.open('payments')
  await page.getByRole('row').filter({ hasText: 'keys-1' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await see(page, '1 selected')
  await page.keyboard.press('Enter')
  await see(page, 'What happened')
})

test('a reader is offered no action, and the server would refuse it', async () => {
  const payment = await desk.shop.authorized(9_00)
  const page = await desk.open(`payments/${payment.id}`, { roles: ['analyst'] })
  await see(page, 'What happened')
  for (const name of ['Capture', 'Refund', 'More', 'Look up now'])
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
})

test('hostile text of merchants and buyers is text', async () => {
  const [first = ''] = hostile
  const payment = await desk.shop.authorized(3_00, {
    external_identifier: first,
    metadata: Object.fromEntries(hostile.map((text, index) => [`key-${index}`, text])),
    buyer: { display_name: hostile[1], billing_details: { first_name: hostile[2], last_name: hostile[3] } },
  })
  const page = await desk.open('payments')
  await page.getByRole('row').filter({ hasText: first }).waitFor()
  await page.goto(desk.url(`payments/${payment.id}`))
  await see(page, 'javascript:alert(1)')
  expect(await page.locator('a[href^="javascript:"], img, main script').count()).toBe(0)
})

test('the pages of payments have no barriers', async () => {
  const page = await desk.open('payments')
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-payments')).toEqual([])
  const payment = await desk.shop.sold(75_20, { external_identifier: 'order-4708' })
  await page.goto(desk.url(`payments/${payment.id}`))
  await see(page, 'recomputed')
  expect(await barriers(page, 'dashboard-payment')).toEqual([])
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await page.getByRole('dialog').waitFor()
  expect(await barriers(page, 'dashboard-payment-refund', false)).toEqual([])
})
