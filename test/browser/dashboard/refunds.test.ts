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
