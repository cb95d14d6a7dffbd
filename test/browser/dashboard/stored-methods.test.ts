import { expect, test } from 'vitest'
import { storeCard, withNetworkTokens } from '../../support/domains/network-tokens.ts'
import { addService } from '../../support/shop.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { railyard, shop } = desk
const changed = await railyard.admin.put(
  `/merchant-accounts/${shop.account}`,
  withNetworkTokens({ account_updater_enabled: true }),
)
expect(changed.status).toBe(200)
const tokenizer = await addService(railyard, shop, {
  display_name: 'Keeps cards',
  open_loop: false,
  payment_method_tokenization_enabled: true,
})

const read = async (id: string, path = '') => (await shop.get(`/payment-methods/${id}${path}`)).body

test('nobody is asked for a card number', async () => {
  const page = await desk.open('stored-methods')
  await see(page, 'Card numbers are never typed into the dashboard')
  expect(await page.locator('input[autocomplete^="cc-"]').count()).toBe(0)
  expect(await page.getByRole('button', { name: /New|Create|Add|Store/ }).count()).toBe(0)
})

test('an administrator finds a card, corrects its expiry date, and deletes it after a confirmation', async () => {
  const id = await storeCard(shop, { external_identifier: 'card-31' })
  const page = await desk.open('stored-methods?external_identifier=card-31')
  await page.getByRole('row').filter({ hasText: 'card-31' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Expiry date').fill('01/20')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').first().waitFor()
  await dialog.getByLabel('Expiry date').fill('11/39')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await see(page, '11/39')
  expect(await read(id)).toMatchObject({ expiration_date: '11/39' })
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await see(page, 'Card numbers are never typed')
  expect((await shop.get(`/payment-methods/${id}`)).status).toBe(404)
})

test('an administrator has a payment service keep a card, and takes its token away again', async () => {
  const id = await storeCard(shop)
  const page = await desk.open(`stored-methods/${id}`)
  await page.getByRole('button', { name: 'Have a payment service keep it' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Payment service').selectOption(tokenizer)
  await dialog.getByLabel('Where the buyer returns to').fill('https://shop.example')
  await dialog.getByRole('button', { name: 'Create' }).dblclick()
  const tokens = page.getByRole('region', { name: 'Tokens of payment services' })
  await tokens.getByRole('row').filter({ hasText: 'Keeps cards' }).waitFor()
  const { items } = await read(id, '/payment-service-tokens')
  expect(items).toHaveLength(1)
  if (items[0].token) expect(await page.content()).not.toContain(items[0].token)
  await tokens.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await see(page, 'No payment service keeps this card.')
})

test('an administrator makes a network token, suspends, resumes and deletes it', async () => {
  const id = await storeCard(shop)
  const page = await desk.open(`stored-methods/${id}`)
  await page.getByRole('button', { name: 'Ask the card scheme for a token' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  const tokens = page.getByRole('region', { name: 'Network tokens' })
  await see(tokens, 'Active')
  const [token] = (await read(id, '/network-tokens')).items
  await see(tokens, `·· ${token.token.slice(-4)}`)
  expect(await page.content()).not.toContain(token.token)
  await tokens.getByRole('button', { name: 'Suspend' }).click()
  await see(tokens, 'Suspended')
  expect((await read(id, '/network-tokens')).items).toMatchObject([{ status: 'suspended' }])
  await tokens.getByRole('button', { name: 'Resume' }).click()
  await see(tokens, 'Active')
  await tokens.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await tokens.getByText('Active').waitFor({ state: 'detached' })
})

test('the account updater is asked about the selected cards', async () => {
  await storeCard(shop, { external_identifier: 'card-32' })
  const page = await desk.open('stored-methods?external_identifier=card-32')
  await page.getByRole('row').filter({ hasText: 'card-32' }).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Ask for newer details' }).click()
  await see(page, 'One card is asked about')
})

test('customer support and analysts read stored methods, and are not offered to change them', async () => {
  const id = await storeCard(shop, { external_identifier: 'card-33' })
  await shop.sold(10_00, { payment_method: { method: 'id', id } })
  for (const role of ['customer-support', 'analyst']) {
    const page = await desk.open('stored-methods?external_identifier=card-33', { roles: [role] })
    await page.getByRole('row').filter({ hasText: 'card-33' }).waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await page.goto(desk.url(`stored-methods/${id}`))
    await see(page, 'No payment service keeps this card.')
    await see(page, 'The card scheme has made no token')
    await page
      .getByRole('region', { name: 'Payments with it' })
      .getByRole('link', { name: '€10.00' })
      .first()
      .waitFor()
    const offers = /Edit|Delete|Ask|Have/
    expect(await page.getByRole('button', { name: offers }).count()).toBe(0)
  }
})

test('hostile text is shown as text', async () => {
  const { body: buyer } = await shop.post('/buyers', { display_name: hostile })
  const id = await storeCard(shop, { external_identifier: hostile, buyer_id: buyer.id })
  const page = await desk.open('stored-methods')
  await expectShownAsText(page)
  await page.goto(desk.url(`stored-methods/${id}`))
  await expectShownAsText(page)
})

test('the pages of stored methods have no barriers', async () => {
  const id = await storeCard(shop)
  await shop.post(`/payment-methods/${id}/network-tokens`, {
    merchant_initiated: false,
    is_subsequent_payment: false,
  })
  const page = await desk.open('stored-methods')
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-stored-methods')).toEqual([])
  await page.goto(desk.url(`stored-methods/${id}`))
  await see(page, 'Active')
  expect(await barriers(page, 'dashboard-stored-method')).toEqual([])
  await page.getByRole('button', { name: 'Edit' }).click()
  expect(await barriers(page, 'dashboard-stored-method-edit')).toEqual([])
})
