import { expect, test } from 'vitest'
import { openBrowserShop, outcome } from './browser-shop.ts'

const town = await openBrowserShop()

const button = { name: 'Go to pay later' }

test('a buyer approves on the provider’s page and returns to the shop', async () => {
  const page = await town.buyer()
  await page.getByRole('button', button).click()
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Pay the shop')
  expect(await page.locator('.total').innerText()).toBe('€117.90')
  await page.getByRole('button', { name: 'Buy now, pay later' }).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
  expect(await town.shop.payment(town.paymentOf(page)).read()).toMatchObject({
    status: 'authorization_succeeded',
    authorized_amount: 11790,
  })
})

test('a buyer who is declined sees it in the shop', async () => {
  const page = await town.buyer()
  await page.getByRole('button', button).click()
  await page.getByRole('button', { name: /^Decline/ }).click()
  expect(await outcome(page)).toBe('authorization_failed')
})

test('a buyer who cancels returns to the shop and owes nothing', async () => {
  const page = await town.buyer()
  await page.getByRole('button', button).click()
  await page.getByRole('button', { name: /^Cancel/ }).click()
  expect(await outcome(page)).toBe('authorization_failed')
  expect(await page.locator('#reason').innerText()).toBe('cancelled_buyer_approval')
})

test('a buyer pays later without leaving the shop', async () => {
  const page = await town.buyer()
  await page.getByRole('button', { name: 'Pay later, on this page' }).click()
  const dialog = page.getByRole('dialog', { name: 'Buy now, pay later' })
  expect(await dialog.locator('.amount').innerText()).toBe('€117.90')
  await dialog.getByRole('button', { name: 'Buy now, pay later' }).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
})

test('a buyer who is declined on the shop’s page can choose another way to pay', async () => {
  const page = await town.buyer()
  await page.getByRole('button', { name: 'Pay later, on this page' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Decline/ })
    .click()
  await page.getByText('Pay later was not approved.').waitFor()
  await page.getByRole('button', { name: 'Pay later, on this page' }).click()
  await page.getByRole('dialog').press('Escape')
  await page.getByText('Pay later was not approved.').waitFor()
})

test('the express button pays before the shop has created a payment', async () => {
  const page = await town.buyer()
  await page.getByRole('button', { name: 'Express: pay later' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Buy now, pay later' }).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
})

test('an approved page says so when it is opened again, and links to the shop', async () => {
  const page = await town.buyer()
  await page.getByRole('button', button).click()
  const address = page.url()
  await page.getByRole('button', { name: 'Buy now, pay later' }).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
  await page.goto(address)
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('You approved this payment')
  await page.getByRole('link', { name: 'Return to the shop' }).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
  expect(await town.shop.payment(town.paymentOf(page)).read()).toMatchObject({ authorized_amount: 11790 })
})
