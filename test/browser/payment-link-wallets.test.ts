import { expect, test } from 'vitest'
import { heading, openLinkShop } from './link-shop.ts'
import { barriers } from './page-checks.ts'

const town = await openLinkShop()
const { railyard, shop } = town

const registered = await shop.post('/digital-wallets', {
  provider: 'apple',
  merchant_name: 'Tea House',
  merchant_url: 'https://shop.example',
  domain_names: ['shop.example'],
  accept_terms_and_conditions: true,
})
expect(registered).toMatchObject({ status: 201 })
/** The API takes domains only, and the test's instance has an address. */
const register = (domain: string) =>
  railyard.world.db
    .updateTable('digital_wallets')
    .set({ domain_names: [domain] })
    .where('id', '=', registered.body.id)
    .execute()

/** A stand-in for Safari's Apple Pay: its buyer approves at once with a device of the sandbox. */
const device = (token: object) => `
globalThis.ApplePaySession = class {
  static STATUS_SUCCESS = 0
  static STATUS_FAILURE = 1
  static canMakePayments = () => true
  constructor(version, request) {
    document.documentElement.dataset.request = JSON.stringify(request)
  }
  begin() {
    this.onvalidatemerchant({ validationURL: 'https://apple-pay-gateway.apple.com/paymentservices/startSession' })
  }
  completeMerchantValidation({ displayName }) {
    document.documentElement.dataset.merchant = displayName
    this.onpaymentauthorized({ payment: { token: { paymentData: ${JSON.stringify(token)}, paymentMethod: { displayName: 'Visa 1111' } } } })
  }
  completePayment({ status }) {
    document.documentElement.dataset.status = String(status)
  }
  abort() {
    document.documentElement.dataset.aborted = 'true'
  }
}`

const approve = async (amount: number) => {
  const { status, body } = await shop.post('/sandbox/wallets/apple/token', { amount, currency: 'EUR' })
  expect(status).toBe(200)
  return body.token
}

/** Opens a link in a browser with Apple Pay. */
async function openWithApplePay(more: Record<string, unknown> = {}) {
  const link = await town.link(more)
  const script = device(await approve(Number(more['amount'] ?? 108_50)))
  return { ...link, page: await town.open(link.url, {}, script) }
}

test('a buyer with Apple Pay pays on the page, and the receipt says so', async () => {
  await register(new URL(railyard.world.publicUrl).hostname)
  const { id, page } = await openWithApplePay()
  await page.getByRole('button', { name: 'Apple Pay' }).click()
  await heading(page, 'Thank you')
  await page.getByText('Apple Pay, Visa').waitFor()
  expect(await town.payments(id)).toMatchObject([
    {
      status: 'authorization_succeeded',
      method: 'applepay',
      payment_method: { label: '1111', scheme: 'visa' },
    },
  ])
})

test('the sheet has the merchant and the amount, and a decline is told beside the form', async () => {
  await register(new URL(railyard.world.publicUrl).hostname)
  const { page } = await openWithApplePay({ amount: 200011, cart_items: null })
  expect(await barriers(page, 'payment-link-apple-pay', false)).toEqual([])
  await page.getByRole('button', { name: 'Apple Pay' }).click()
  await page.getByRole('alert').getByText('Your bank has declined the payment.').waitFor()
  const { request, merchant, status } = await page
    .evaluate('({ ...document.documentElement.dataset })')
    .then((value) => value as Record<string, string>)
  expect(JSON.parse(request ?? '')).toMatchObject({
    countryCode: 'DE',
    currencyCode: 'EUR',
    total: { label: 'Tea House', amount: '2000.11' },
  })
  expect({ merchant, status }).toEqual({ merchant: 'Tea House', status: '1' })
})

test('without a wallet for the page’s domain, or without Apple Pay in the browser, there is no button', async () => {
  await register('shop.example')
  const { url, page } = await openWithApplePay()
  expect(await page.locator('#apple-pay').count()).toBe(0)
  const data = { method: 'applepay', token: await approve(108_50) }
  expect((await page.request.post(`${url}/payments`, { data })).status()).toBe(400)
  await register(new URL(railyard.world.publicUrl).hostname)
  const plain = await town.open(url)
  expect(await plain.locator('#apple-pay').isVisible()).toBe(false)
})
