import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { appleWallet } from '../support/domains/digital-wallets.ts'
import { requireAuthentication } from '../support/domains/secure-shop.ts'
import { cardFields, fillCard, heading, openLinkShop, payByCard } from './link-shop.ts'
import { barriers } from './page-checks.ts'

const town = await openLinkShop()
const { railyard, shop } = town

const registered = await shop.post('/digital-wallets', { ...appleWallet, merchant_name: 'Tea House' })
expect(registered).toMatchObject({ status: 201 })
/** The API takes domains only, and the test's instance has an address. */
const registerForApple = (domain: string) =>
  railyard.world.db
    .updateTable('digital_wallets')
    .set({ domain_names: [domain] })
    .where('id', '=', registered.body.id)
    .execute()
await registerForApple(new URL(railyard.world.publicUrl).hostname)

/** A token of one of the sandbox's devices, encrypted as the wallet's own. */
async function approval(wallet: 'apple' | 'google', body: Record<string, unknown> = {}) {
  const answer = await shop.post(`/sandbox/wallets/${wallet}/token`, body)
  expect(answer.status).toBe(200)
  return answer.body.token
}

/** What the stand-ins have noted of the page's calls. */
const noted = (page: Page) =>
  page.evaluate('({ ...document.documentElement.dataset })') as Promise<Record<string, string>>

/** A stand-in for Safari's Apple Pay, whose buyer does at once what `buyer` says. */
const applePay = (buyer: 'approves' | 'cancels', token: object) => `
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
    if ('${buyer}' === 'cancels') {
      document.documentElement.dataset.status = 'cancelled'
      this.oncancel?.({})
      throw new DOMException('The session is over', 'InvalidAccessError')
    }
    const paymentMethod = { displayName: 'Visa 1111' }
    this.onpaymentauthorized({ payment: { token: { paymentData: ${JSON.stringify(token)}, paymentMethod } } })
  }
  completePayment({ status }) {
    document.documentElement.dataset.status = String(status)
  }
  abort() {
    document.documentElement.dataset.status = 'aborted'
  }
}`

/** Opens a link in a browser with Apple Pay. */
async function openWithApplePay(
  more: Record<string, unknown> = {},
  buyer: 'approves' | 'cancels' = 'approves',
) {
  const link = await town.link(more)
  const token = await approval('apple', { amount: Number(more['amount'] ?? 108_50), currency: 'EUR' })
  return { ...link, page: await town.open(link.url, {}, { apple: applePay(buyer, token) }) }
}

/** A stand-in for Google's script, whose buyer does at once what `buyer` says. */
const googlePay = (buyer: 'approves' | 'cancels' | 'has none', token: string) => `
globalThis.google = { payments: { api: { PaymentsClient: class {
  constructor({ environment, nonce }) {
    document.documentElement.dataset.environment = environment
    const style = Object.assign(document.createElement('style'), { nonce })
    style.textContent = '.gpay { color: rgb(255, 255, 255); background: rgb(0, 0, 0) }'
    document.head.append(style)
  }
  async isReadyToPay() {
    document.documentElement.dataset.asked = 'true'
    return { result: '${buyer}' !== 'has none' }
  }
  createButton({ onClick, buttonLocale }) {
    const button = Object.assign(document.createElement('button'), { type: 'button', lang: buttonLocale })
    button.className = 'gpay'
    button.textContent = 'Google Pay'
    button.addEventListener('click', onClick)
    return button
  }
  async loadPaymentData(request) {
    document.documentElement.dataset.request = JSON.stringify(request)
    if ('${buyer}' === 'cancels') {
      document.documentElement.dataset.status = 'cancelled'
      throw { statusCode: 'CANCELED' }
    }
    const tokenizationData = { type: 'PAYMENT_GATEWAY', token: ${JSON.stringify(token)} }
    return { paymentMethodData: { type: 'CARD', info: { cardNetwork: 'VISA', cardDetails: '1111' }, tokenizationData } }
  }
} } } }`

/** Opens a link in a browser in which Google's script loads. */
async function openWithGooglePay(
  more: Record<string, unknown> = {},
  {
    buyer = 'approves',
    ...device
  }: { buyer?: 'approves' | 'cancels' | 'has none'; number?: string; auth_method?: string } = {},
) {
  const link = await town.link(more)
  const script = googlePay(buyer, await approval('google', device))
  return { ...link, page: await town.open(link.url, {}, { google: script }) }
}

async function addGoogleWallet() {
  const added = await shop.post('/digital-wallets', {
    provider: 'google',
    merchant_name: 'Tea House',
    extra_configuration: { google_merchant_id: 'BCR2DN4T7777' },
    accept_terms_and_conditions: true,
  })
  expect(added).toMatchObject({ status: 201 })
}

const buttonOf = (page: Page, name: 'Apple Pay' | 'Google Pay') => page.getByRole('button', { name })

test('a buyer with Apple Pay pays on the page, and the receipt says so', async () => {
  const { id, page } = await openWithApplePay()
  await buttonOf(page, 'Apple Pay').click()
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

test('Apple’s sheet has the merchant and the amount, and a decline is shown beside the form', async () => {
  const { page } = await openWithApplePay({ amount: 200011, cart_items: null })
  expect(await barriers(page, 'payment-link-apple-pay', false)).toEqual([])
  await buttonOf(page, 'Apple Pay').click()
  await page.getByRole('alert').getByText('Your bank has declined the payment.').waitFor()
  const { request, merchant, status } = await noted(page)
  expect(JSON.parse(request ?? '')).toMatchObject({
    countryCode: 'DE',
    currencyCode: 'EUR',
    total: { label: 'Tea House', amount: '2000.11' },
  })
  expect({ merchant, status }).toEqual({ merchant: 'Tea House', status: '1' })
})

/** Enters a card, cancels the wallet's sheet, and pays by the card that the form still has. */
async function paysByCardAfter(page: Page, cancel: () => Promise<unknown>) {
  await fillCard(page, '5555 5555 5555 4444')
  await cancel()
  expect(await page.getByRole('alert').isVisible()).toBe(false)
  expect(await cardFields(page).locator('#code').inputValue()).toBe('123')
  await page.locator('#submit').click()
  await heading(page, 'Thank you')
}

test('a buyer who cancels Apple’s sheet still has the card that they entered, and pays by it', async () => {
  const { id, page } = await openWithApplePay({}, 'cancels')
  await paysByCardAfter(page, async () => {
    await buttonOf(page, 'Apple Pay').click()
    await page.locator('html[data-status=cancelled]').waitFor()
  })
  expect(await town.payments(id)).toMatchObject([{ method: 'card', payment_method: { label: '4444' } }])
})

test('Apple Pay is not offered for another domain, in another browser, or by a link that stores the card', async () => {
  const plain = await town.open((await town.link()).url)
  expect(await plain.locator('#apple-pay').count()).toBe(1)
  expect(await plain.locator('#apple-pay').isVisible()).toBe(false)
  const buyer_id = (await shop.post('/buyers', { display_name: 'Ada' })).body.id
  const storing = await openWithApplePay({ store: true, buyer_id })
  expect(await storing.page.locator('#apple-pay').count()).toBe(0)
  await registerForApple('shop.example')
  const { url, page } = await openWithApplePay()
  expect(await page.locator('#apple-pay').count()).toBe(0)
  const data = { method: 'applepay', token: await approval('apple', { amount: 108_50, currency: 'EUR' }) }
  expect((await page.request.post(`${url}/payments`, { data })).status()).toBe(400)
  await registerForApple(new URL(railyard.world.publicUrl).hostname)
})

test('without a Google wallet the page loads nothing of Google’s, and takes no Google Pay', async () => {
  const { url, page } = await openWithGooglePay()
  expect(await page.locator('#google-pay').count()).toBe(0)
  const data = { method: 'googlepay', token: await approval('google') }
  expect((await page.request.post(`${url}/payments`, { data })).status()).toBe(400)
  const { headers } = await fetch(url)
  expect(headers.get('content-security-policy')).not.toMatch(/google|gstatic|nonce/)
})

test('a buyer with Google Pay pays on the page, and the receipt says so', async () => {
  await addGoogleWallet()
  const { id, url, page } = await openWithGooglePay()
  await buttonOf(page, 'Google Pay').waitFor()
  expect(await page.evaluate('getComputedStyle(document.querySelector(".gpay")).color')).toBe(
    'rgb(255, 255, 255)',
  )
  expect((await fetch(url)).headers.get('content-security-policy')).toMatch(
    /script-src [^;]* https:\/\/pay\.google\.com\/gp\/p\/js\/pay\.js 'nonce-[\w+/]{22}=='; style-src/,
  )
  await buttonOf(page, 'Google Pay').click()
  await heading(page, 'Thank you')
  await page.getByText('Google Pay, Visa').waitFor()
  const payments = await town.payments(id)
  expect(payments).toMatchObject([
    {
      status: 'authorization_succeeded',
      method: 'googlepay',
      payment_method: { label: '1111', scheme: 'visa' },
    },
  ])
  const timeline = (await shop.get(`/transactions/${payments[0]?.id}/events`)).body
  expect(JSON.stringify(timeline)).not.toContain('signedMessage')
})

test('Google’s window has the merchant and the amount, and a decline is shown beside the form', async () => {
  const { page } = await openWithGooglePay({ amount: 200011, cart_items: null })
  await buttonOf(page, 'Google Pay').waitFor()
  expect(await barriers(page, 'payment-link-google-pay', false)).toEqual([])
  await buttonOf(page, 'Google Pay').click()
  await page.getByRole('alert').getByText('Your bank has declined the payment.').waitFor()
  const { request, environment } = await noted(page)
  expect(environment).toBe('TEST')
  const { gateway_merchant_id } = (await shop.post('/digital-wallets/google/session', { origin_domain: 'x' }))
    .body
  expect(JSON.parse(request ?? '')).toMatchObject({
    allowedPaymentMethods: [
      { tokenizationSpecification: { parameters: { gatewayMerchantId: gateway_merchant_id } } },
    ],
    transactionInfo: { totalPrice: '2000.11', currencyCode: 'EUR', countryCode: 'DE' },
    merchantInfo: {
      merchantName: 'Tea House',
      merchantId: 'BCR2DN4T7777',
      merchantOrigin: new URL(railyard.world.publicUrl).hostname,
      authJwt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    },
  })
})

test('a buyer who closes Google’s window still has the card that they entered, and pays by it', async () => {
  const { id, page } = await openWithGooglePay({}, { buyer: 'cancels' })
  await paysByCardAfter(page, async () => {
    await buttonOf(page, 'Google Pay').click()
    await page.locator('html[data-status=cancelled]').waitFor()
  })
  expect(await town.payments(id)).toMatchObject([{ method: 'card', payment_method: { label: '4444' } }])
})

test('a buyer without Google Pay, or whose browser blocks Google’s script, has the other ways to pay', async () => {
  const { page } = await openWithGooglePay({}, { buyer: 'has none' })
  await page.locator('html[data-asked]').waitFor()
  expect(await page.locator('#google-pay').isVisible()).toBe(false)
  const blocked = await town.open((await town.link()).url, {}, { google: 'blocked' })
  await payByCard(blocked)
  await heading(blocked, 'Thank you')
})

test('the issuer asks the cardholder about a card of the buyer’s Google account', async () => {
  await requireAuthentication(railyard, shop, shop.paymentServiceId)
  const { id, page } = await openWithGooglePay({}, { number: '4111111111181072', auth_method: 'PAN_ONLY' })
  await buttonOf(page, 'Google Pay').click()
  await page.getByLabel('One-time code').fill('123456')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await heading(page, 'Thank you')
  expect(await town.payments(id)).toMatchObject([{ status: 'authorization_succeeded', method: 'googlepay' }])
})
