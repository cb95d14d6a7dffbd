import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { authenticatedPayment, openSecureShop, scenario } from '../support/domains/secure-shop.ts'
import { openBrowserShop } from './browser-shop.ts'
import { barriers } from './page-checks.ts'

const town = await openBrowserShop()
const shop = await openSecureShop(town.railyard)
await scenario(town.railyard, shop, 12_99, 'C', 'Y')

/** A cardholder on the way that the merchant has sent them on, and that ends at the merchant's. */
async function sentToIssuer(options: BrowserContextOptions = {}): Promise<{ page: Page; payment: string }> {
  const { body } = await shop.pay(12_99, authenticatedPayment({ redirect_url: `${town.shop.url}/done` }))
  const page = await town.buyer(options)
  await page.goto(body.payment_method.approval_url)
  return { page, payment: body.id }
}

const outcomeAt = async (page: Page) => {
  await page.waitForURL(`${town.shop.url}/done?**`)
  return new URL(page.url()).searchParams.get('svc_transaction_status')
}

test('a cardholder goes from the payment’s approval URL through the issuer’s page to the merchant, and has paid', async () => {
  const { page, payment } = await sentToIssuer()
  await page.getByLabel('One-time code').fill('123456')
  await page.getByRole('button', { name: 'Confirm' }).click()
  expect(await outcomeAt(page)).toBe('authorization_succeeded')
  expect(await shop.payment(payment).read()).toMatchObject({
    three_d_secure: { status: 'complete', method: 'challenge' },
  })
})

test('a cardholder who declines at the issuer’s page returns to a failed payment', async () => {
  const { page } = await sentToIssuer()
  await page.getByRole('button', { name: 'Decline' }).click()
  expect(await outcomeAt(page)).toBe('authorization_failed')
})

test('every step has a button without scripts', async () => {
  const { page } = await sentToIssuer({ javaScriptEnabled: false })
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Your bank asks you to confirm')
  expect(await page.getByText('€12.99').count()).toBe(1)
  await page.getByRole('button', { name: 'Go on to your bank' }).click()
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('button', { name: /^Return to/ }).click()
  expect(await outcomeAt(page)).toBe('authorization_succeeded')
})

test('our redirect page is accessible', async () => {
  const { body } = await shop.pay(12_99, authenticatedPayment({ redirect_url: `${town.shop.url}/done` }))
  const page = await town.buyer()
  // it stands for a moment only: without its script it stays
  await page.route(body.payment_method.approval_url, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace(/<script>.*<\/script>/, '') })
  })
  await page.goto(body.payment_method.approval_url)
  expect(await barriers(page, 'challenge')).toEqual([])
})
