import { expect, test } from 'vitest'
import { billing_details, erasureActions } from '../../support/domains/erasure.ts'
import { addGiftCardService, newGiftCard } from '../../support/domains/gift-cards.ts'
import { storeCard } from '../../support/domains/network-tokens.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile, long } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { railyard, shop } = desk
await addGiftCardService(railyard, shop)
const { runLastPass } = erasureActions(railyard, shop)

const addBuyer = async (more: Record<string, unknown> = {}) => {
  const { status, body } = await shop.post('/buyers', more)
  expect(status).toBe(201)
  return body
}

test('an administrator creates a buyer, and corrects one member without touching the others', async () => {
  const page = await desk.open('buyers')
  await page.getByRole('button', { name: 'New buyer' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name that people read').fill('Grace Hopper')
  await dialog.getByLabel('Reference').fill('grace-1')
  await dialog.getByLabel('First name').fill('Grace')
  await dialog.getByLabel('Phone number').fill('twelve')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('alert').first().waitFor()
  expect(await dialog.getByLabel('Phone number').getAttribute('aria-invalid')).toBe('true')
  await dialog.getByLabel('Phone number').fill('')
  await dialog.getByLabel('Email address').fill('grace@example.com')
  await dialog.getByLabel('City').fill('Arlington')
  await dialog.getByRole('button', { name: 'Create' }).dblclick()
  await page.getByRole('heading', { level: 1, name: 'Grace Hopper' }).waitFor()
  const [buyer, ...others] = (await shop.get('/buyers?search=grace-1')).body.items
  expect(others).toEqual([])

  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await dialog.getByLabel('Phone number').fill('+493012345678')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await see(page, '+493012345678')
  expect((await shop.get(`/buyers/${buyer.id}`)).body).toMatchObject({
    display_name: 'Grace Hopper',
    billing_details: {
      first_name: 'Grace',
      email_address: 'grace@example.com',
      phone_number: '+493012345678',
      address: { city: 'Arlington' },
    },
  })
})

test('a reference that is taken leads to the buyer who has it', async () => {
  const taken = await addBuyer({ external_identifier: 'taken-1', display_name: 'First of that name' })
  const page = await desk.open('buyers')
  await page.getByRole('button', { name: 'New buyer' }).click()
  await page.getByRole('dialog').getByLabel('Reference').fill('taken-1')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await page.getByRole('link', { name: 'Open that buyer' }).click()
  await page.getByRole('heading', { level: 1, name: 'First of that name' }).waitFor()
  expect(page.url()).toContain(taken.id)
})

test('a buyer’s page has payments, stored methods, gift cards and addresses, which can be changed', async () => {
  const buyer = await addBuyer({ display_name: 'Ada', billing_details })
  await storeCard(shop, { buyer_id: buyer.id })
  const gift = newGiftCard()
  await shop.post('/gift-cards', { ...gift, buyer_id: buyer.id })
  await shop.sold(75_20, { buyer_id: buyer.id })
  const page = await desk.open(`buyers/${buyer.id}`)
  await page.getByRole('region', { name: 'Payments' }).getByRole('link', { name: '€75.20' }).first().waitFor()
  await page.getByRole('link', { name: 'visa ·· 1111' }).first().waitFor()
  await page
    .getByRole('link', { name: `·· ${gift.number.slice(-4)}` })
    .first()
    .waitFor()

  await page.getByRole('button', { name: 'Add an address' }).click()
  await page.getByRole('dialog').getByLabel('City').fill('London')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  const address = page.getByRole('listitem').filter({ hasText: 'London' })
  await address.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('City').fill('Bristol')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  const changed = page.getByRole('listitem').filter({ hasText: 'Bristol' })
  await changed.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await changed.waitFor({ state: 'detached' })
  expect((await shop.get(`/buyers/${buyer.id}/shipping-details`)).body.items).toEqual([])
})

test('a buyer is deleted after a confirmation', async () => {
  const buyer = await addBuyer({ display_name: 'Short Stay' })
  const page = await desk.open(`buyers/${buyer.id}`)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await see(page.getByRole('dialog'), 'Stored methods stay')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'New buyer' }).waitFor()
  expect((await shop.get(`/buyers/${buyer.id}`)).status).toBe(404)
})

test('an administrator erases a buyer once they say that they know what is removed, and sees it completed', async () => {
  const buyer = await addBuyer({ display_name: 'Ada', billing_details })
  const payment = await shop.sold(10_00, { buyer_id: buyer.id })
  const page = await desk.open(`buyers/${buyer.id}`)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Erase' }).click()
  await see(page, 'No erasure was requested.')
  await see(page, 'Stored payment methods and gift cards, with their tokens')
  await page.getByRole('button', { name: 'Erase' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Erase the buyer' }).click()
  await see(dialog, 'Confirm first')
  expect((await shop.get(`/buyers/${buyer.id}`)).status).toBe(200)
  await dialog.getByRole('checkbox').check()
  await dialog.getByRole('button', { name: 'Erase the buyer' }).click()
  await see(page, 'The erasure is under way')
  await railyard.erasing.runOnce()
  await runLastPass()
  await page.getByRole('paragraph').filter({ hasText: 'Everything personal is erased' }).waitFor()
  expect(JSON.stringify(await payment.read())).not.toContain('Lovelace')
  await page.goto(desk.url(`buyers/${buyer.id}`))
  await page.getByRole('link', { name: 'See the erasure' }).waitFor()
})

test('an administrator erases the guest of a single payment', async () => {
  const payment = await shop.sold(10_00, { buyer: { billing_details } })
  const page = await desk.open(`payments/${payment.id}`)
  await page.getByRole('link', { name: 'Erase the buyer’s data' }).click()
  await page.getByRole('button', { name: 'Erase' }).click()
  await page.getByRole('dialog').getByRole('checkbox').check()
  await page.getByRole('dialog').getByRole('button', { name: 'Erase the buyer’s data' }).click()
  await page.getByRole('paragraph').filter({ hasText: 'Everything personal is erased' }).waitFor()
  expect(JSON.stringify(await payment.read())).not.toContain('Lovelace')
})

test('customer support and analysts see no personal data, and are not offered to change or erase a buyer', async () => {
  const buyer = await addBuyer({ external_identifier: 'secret-1', display_name: 'Ada', billing_details })
  for (const role of ['customer-support', 'analyst']) {
    const page = await desk.open('buyers?external_identifier=secret-1', { roles: [role] })
    await page.getByRole('row').filter({ hasText: 'secret-1' }).waitFor()
    await see(page, 'Your role does not show who buyers are')
    expect(await page.getByRole('button', { name: 'New buyer' }).count()).toBe(0)
    await page.goto(desk.url(`buyers/${buyer.id}`))
    await page.getByRole('heading', { name: 'Shipping details' }).waitFor()
    expect(await page.getByRole('button', { name: /Edit|More|Add an address/ }).count()).toBe(0)
    await page.goto(desk.url(`buyers/${buyer.id}/erasure`))
    await see(page, 'Only administrators can erase.')
    expect(await page.getByRole('button', { name: /Erase/ }).count()).toBe(0)
    expect(await page.content()).not.toContain('Lovelace')
  }
})

test('hostile text is shown as text', async () => {
  const details = {
    first_name: hostile,
    last_name: long,
    address: { line1: hostile, line2: long, city: hostile },
  }
  const buyer = await addBuyer({
    display_name: hostile,
    external_identifier: `${hostile}${Date.now()}`,
    account_number: hostile,
    billing_details: { ...details, tax_id: { value: hostile.slice(0, 50), kind: 'eu.vat' } },
  })
  expect((await shop.post(`/buyers/${buyer.id}/shipping-details`, details)).status).toBe(201)
  const page = await desk.open('buyers')
  await expectShownAsText(page)
  await page.goto(desk.url(`buyers/${buyer.id}`))
  await page.getByRole('heading', { name: 'Shipping details' }).waitFor()
  await expectShownAsText(page)
  expect(await barriers(page, 'dashboard-buyer-hostile', false)).toEqual([])
  await page.goto(desk.url('payouts'))
  await page.getByRole('button', { name: 'Pay out' }).click()
  await page.getByRole('dialog').getByLabel('Buyer').fill('img src')
  await expectShownAsText(page)
})

test('the pages of buyers have no barriers', async () => {
  const buyer = await addBuyer({
    display_name: 'Ada Lovelace',
    external_identifier: 'ada-9',
    billing_details,
  })
  await shop.post(`/buyers/${buyer.id}/shipping-details`, billing_details)
  await storeCard(shop, { buyer_id: buyer.id })
  await shop.sold(75_20, { buyer_id: buyer.id, external_identifier: 'order-9' })
  const page = await desk.open('buyers')
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-buyers')).toEqual([])
  await page.goto(desk.url(`buyers/${buyer.id}`))
  await page.getByRole('link', { name: 'visa ·· 1111' }).waitFor()
  await see(page, 'order-9')
  expect(await barriers(page, 'dashboard-buyer')).toEqual([])
  await page.getByRole('button', { name: 'Edit' }).first().click()
  expect(await barriers(page, 'dashboard-buyer-edit')).toEqual([])
  await page.goto(desk.url(`buyers/${buyer.id}/erasure`))
  await see(page, 'No erasure was requested.')
  expect(await barriers(page, 'dashboard-buyer-erasure')).toEqual([])
})
