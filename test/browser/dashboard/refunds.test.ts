import { expect, test } from 'vitest'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()

const refunded = async (reason: string, reference: string) => {
  const payment = await desk.shop.sold(50_00, { external_identifier: reference })
  const { body } = await payment.refund({ amount: 12_34, reason })
  return { payment, refund: body }
}

test('a person finds a refund by its payment, and by its id', async () => {
  const { refund } = await refunded('the jar was broken', 'order-51')
  await desk.shop.sold(50_00, { external_identifier: 'order-52' })
  const page = await desk.open('refunds', { roles: ['customer-support'] })
  const row = page.getByRole('row').filter({ hasText: 'order-51' })
  await see(row, '€12.34')
  expect(await page.getByRole('row').filter({ hasText: 'order-52' }).count()).toBe(0)
  await row.click()
  await page.getByRole('link', { name: '€12.34' }).click()
  await see(page, 'the jar was broken')

  await page.goto(desk.url('refunds'))
  await page.getByRole('textbox', { name: 'Refund id' }).fill(refund.id)
  await page.getByRole('button', { name: 'Open' }).click()
  await see(page, 'the jar was broken')
  await see(page, 'It is the only one.')
})

test('an analyst reads refunds, and is told of one that does not exist', async () => {
  const { refund } = await refunded('too late', 'order-53')
  const page = await desk.open(`refunds/${refund.id}`, { roles: ['analyst'] })
  await see(page.getByRole('heading', { level: 1 }), 'Refunded')
  await page.goto(desk.url('refunds/00000000-0000-4000-8000-000000000000'))
  await see(page.getByRole('alert'), 'It does not exist')
})

test('a refund whose outcome is unknown says what happens next', async () => {
  const payment = await desk.shop.sold(520_005)
  const { body } = await payment.refund({ amount: 520_005 })
  expect(body.status).toBe('processing')
  const page = await desk.open(`refunds/${body.id}`)
  await see(page, 'never sends the refund twice')
  await payment.sync()
  await see(page.getByRole('heading', { level: 1 }), 'Refunded')
})

test('a refund that the payment service has not decided is not said to be done', async () => {
  const { id } = await desk.shop.sold(520_005)
  const page = await desk.open(`payments/${id}`)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
  await see(page.getByRole('status'), 'The payment service has not decided yet')
})

test('hostile text is shown as text', async () => {
  const { refund } = await refunded(hostile, hostile)
  const page = await desk.open(`refunds/${refund.id}`)
  await see(page, 'Reason', { exact: true })
  await expectShownAsText(page)
})

test('the pages of refunds have no barriers', async () => {
  const { refund } = await refunded('wrong size', 'order-55')
  const page = await desk.open('refunds')
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-refunds')).toEqual([])
  await page.goto(desk.url(`refunds/${refund.id}`))
  await see(page, 'wrong size')
  expect(await barriers(page, 'dashboard-refund')).toEqual([])
})

test('a refund whose answer was lost is made once, although its dialog was closed and opened again', async () => {
  const payment = await desk.shop.sold(50_00)
  const page = await desk.open(`payments/${payment.id}`)
  const keys: (string | undefined)[] = []
  await page.route('**/refunds', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length > 1) return route.continue()
    await route.fetch()
    return route.fulfill({ status: 502, contentType: 'text/html', body: 'Bad Gateway' })
  })
  const dialog = page.getByRole('dialog')
  const refund = async () => {
    await page.getByRole('button', { name: 'Refund', exact: true }).click()
    await dialog.getByLabel('Amount').fill('5.00')
    await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
  }
  await refund()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await refund()
  await dialog.waitFor({ state: 'detached' })
  expect(await payment.read()).toMatchObject({ refunded_amount: 5_00 })

  // the person has that answer: the refund that they ask for next is another one
  await refund()
  await dialog.waitFor({ state: 'detached' })
  expect(await payment.read()).toMatchObject({ refunded_amount: 10_00 })
  expect(keys).toEqual([keys[0], keys[0], expect.any(String)])
  expect(keys[2]).not.toBe(keys[0])
})
