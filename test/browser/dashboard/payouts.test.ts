import { expect, test } from 'vitest'
import { storeCard } from '../../support/domains/network-tokens.ts'
import { payoutOf } from '../../support/domains/payouts.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile, hostileUrl } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { shop } = desk

const paidOut = async (more: Record<string, unknown> = {}) => {
  const { status, body } = await shop.post('/payouts', payoutOf(shop.paymentServiceId, more))
  expect(status).toBe(201)
  return body
}

test('an administrator pays out to the stored card of a buyer, once, however often they click', async () => {
  const { body: buyer } = await shop.post('/buyers', {
    display_name: 'Ada Winner',
    external_identifier: 'ada-1',
  })
  const method = await storeCard(shop, { buyer_id: buyer.id })
  const page = await desk.open('payouts')
  await page.getByRole('button', { name: 'Pay out' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Pay out' }).click()
  await see(dialog, 'Choose a payment service, a buyer and a card')
  await dialog.getByLabel('Buyer').fill('Ada W')
  await dialog.getByRole('button', { name: /Ada Winner/ }).click()
  await dialog.getByLabel('Card', { exact: true }).selectOption(method)
  await dialog.getByLabel('Payment service').selectOption({ label: 'Mock card' })
  await dialog.getByLabel('Currency').selectOption('EUR')
  await dialog.getByLabel('Amount').fill('25.50')
  await dialog.getByLabel('Reference').fill('win-77')
  await dialog.getByRole('button', { name: 'Send €25.50' }).dblclick()
  await see(page.getByRole('heading', { level: 1 }), 'Paid out')
  const { items } = (await shop.get('/payouts?external_identifier=win-77')).body
  expect(items).toMatchObject([{ amount: 25_50, buyer: { id: buyer.id }, payment_method: { id: method } }])
})

test('a payout under way says that it is not sent again, and is looked up', async () => {
  const payout = await paidOut({ amount: 530_003 })
  const page = await desk.open(`payouts/${payout.id}`, { roles: ['customer-support'] })
  await see(page, 'never sends the payout twice')
  await page.getByRole('button', { name: 'Look up now' }).click()
  await see(page.getByRole('heading', { level: 1 }), 'Paid out')
})

test('a payout that the payment service declined says that no money was sent', async () => {
  const payout = await paidOut({ amount: 530_001 })
  const page = await desk.open(`payouts/${payout.id}`, { roles: ['analyst'] })
  await see(page.getByRole('heading', { level: 1 }), 'Declined')
  await see(page, 'no money was sent')
})

test('customer support and analysts read payouts, and are not offered to pay out', async () => {
  await paidOut({ external_identifier: 'win-78' })
  for (const role of ['customer-support', 'analyst']) {
    const page = await desk.open('payouts?external_identifier=win-78', { roles: [role] })
    await page.getByRole('row').filter({ hasText: 'win-78' }).waitFor()
    expect(await page.getByRole('button', { name: 'Pay out' }).count()).toBe(0)
  }
})

test('hostile text is shown as text', async () => {
  const payout = await paidOut({
    external_identifier: hostile,
    buyer: { display_name: hostile },
    merchant: {
      name: hostile,
      identification_number: hostile,
      phone_number: '+442071838750',
      url: hostileUrl,
      statement_descriptor: 'LUCKY WINS',
      merchant_category_code: '7995',
    },
  })
  const page = await desk.open('payouts')
  await expectShownAsText(page)
  await page.goto(desk.url(`payouts/${payout.id}`))
  await see(page, hostileUrl)
  await expectShownAsText(page)
})

test('the pages of payouts have no barriers', async () => {
  const payout = await paidOut()
  const page = await desk.open('payouts')
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-payouts')).toEqual([])
  await page.getByRole('button', { name: 'Pay out' }).click()
  await page.getByText('Who sends the money').click()
  expect(await barriers(page, 'dashboard-payout-create')).toEqual([])
  await page.goto(desk.url(`payouts/${payout.id}`))
  await page.getByRole('heading', { name: 'Details' }).waitFor()
  expect(await barriers(page, 'dashboard-payout')).toEqual([])
})
