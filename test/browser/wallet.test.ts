import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openBrowserShop, outcome } from './browser-shop.ts'

const town = await openBrowserShop()

const redirect = { name: 'Go to the wallet' }

/** Presses the wallet's button on the shop's page, which opens the wallet in a new window. */
async function openWallet(page: Page): Promise<Page> {
  const opening = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Pay with Wallet' }).click()
  const popup = await opening
  await popup.getByRole('heading', { level: 1 }).waitFor()
  return popup
}

test('a buyer pays at the wallet and returns to the shop', async () => {
  const page = await town.buyer()
  await page.getByRole('button', redirect).click()
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Pay Test merchant')
  expect(await page.locator('.total').innerText()).toBe('€117.90')
  expect(await page.locator('address').innerText()).toContain('Torstraße 1')
  await page.getByRole('button', { name: 'Pay now' }).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
  expect(await town.shop.payment(town.paymentOf(page)).read()).toMatchObject({
    status: 'authorization_succeeded',
    authorized_amount: 11790,
  })
})

test('a buyer whose card the wallet refuses sees it in the shop', async () => {
  const page = await town.buyer()
  await page.getByRole('button', redirect).click()
  await page.getByRole('button', { name: /^Decline/ }).click()
  expect(await outcome(page)).toMatch(/^authorization_(declined|failed)$/)
})

test('a buyer who cancels at the wallet returns and owes nothing', async () => {
  const page = await town.buyer()
  await page.getByRole('button', redirect).click()
  await page.getByRole('button', { name: 'Cancel and return to Test merchant' }).click()
  expect(await outcome(page)).toBe('authorization_failed')
  expect(await page.locator('#reason').innerText()).toBe('cancelled_buyer_approval')
})

test('a buyer pays in the wallet’s window, at once', async () => {
  const page = await town.buyer()
  const popup = await openWallet(page)
  const closed = popup.waitForEvent('close')
  await popup.getByRole('button', { name: 'Pay now' }).click()
  await closed
  expect(await outcome(page)).toBe('authorization_succeeded')
})

test('a buyer reviews the order in the shop before paying', async () => {
  const page = await town.buyer()
  await page.getByLabel('Let me look at the order once more').check()
  const popup = await openWallet(page)
  await popup.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('The wallet is ready.').waitFor()
  await page.getByRole('button', { name: 'Place the order' }).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
})

test('a refusal in the wallet’s window fails the payment', async () => {
  const page = await town.buyer()
  await (await openWallet(page)).getByRole('button', { name: /^Decline/ }).click()
  expect(await outcome(page)).toMatch(/^authorization_(declined|failed)$/)
})

test('a buyer who cancels in the wallet’s window, or closes it, stays in the shop', async () => {
  const page = await town.buyer()
  await (await openWallet(page)).getByRole('button', { name: /^Cancel/ }).click()
  await page.getByText('You left the wallet without paying.').waitFor()
  const again = await openWallet(page)
  expect(await page.locator('#message').innerText()).toBe('')
  await again.close()
  await page.getByText('You left the wallet without paying.').waitFor()
})

test('the wallet refuses an order of another client id than its script’s', async () => {
  const page = await town.buyer()
  await page.route('**/shop.json', async (route) => {
    const answer = await route.fetch()
    const services = await answer.json()
    await route.fulfill({ json: { ...services, wallet: { ...services.wallet, clientId: 'somebody-else' } } })
  })
  await page.reload()
  await page.locator('body[data-ready]').waitFor()
  await page.getByRole('button', { name: 'Pay with Wallet' }).click()
  await page.getByText('The order belongs to another client id than the script was loaded with').waitFor()
})

test('an approved page says so when it is opened again, and links to the shop', async () => {
  const page = await town.buyer()
  await page.getByRole('button', redirect).click()
  const address = page.url()
  await page.getByRole('button', { name: 'Pay now' }).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
  await page.goto(address)
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('You approved this payment')
  await page.getByRole('link', { name: 'Return to Test merchant' }).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
  expect(await town.shop.payment(town.paymentOf(page)).read()).toMatchObject({ authorized_amount: 11790 })
})
