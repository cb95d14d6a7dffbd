import type { Frame, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../support/domains/gift-cards.ts'
import { mockCardService } from '../support/railyard.ts'
import { goodClaims, signed } from '../support/tokens.ts'
import { openElementsShop } from './elements-shop.ts'
import { barriersWithin } from './page-checks.ts'

const town = await openElementsShop()
const { railyard, shop } = town
await addGiftCardService(railyard, shop)
const terms = { amount: 12_99, currency: 'EUR' }
for (const provider of ['apple', 'google'])
  expect(
    await shop.post('/digital-wallets', {
      provider,
      merchant_name: 'Tea House',
      merchant_url: 'https://shop.example',
      accept_terms_and_conditions: true,
      ...(provider === 'apple' && { domain_names: ['localhost'] }),
    }),
  ).toMatchObject({ status: 201 })

/**
 * Stand-ins for Safari's and Chrome's wallets. They write what they are asked for into the document, and open
 * when the test says so: `approve` with a token of the sandbox's devices, `cancel` as a buyer who closes the sheet.
 */
const devices = `
const told = (name, value) => document.documentElement.setAttribute('data-' + name, JSON.stringify(value))
globalThis.ApplePaySession = class {
  static STATUS_SUCCESS = 0
  static STATUS_FAILURE = 1
  static canMakePayments = () => true
  constructor(version, request) {
    told('request', request)
    globalThis.cancel = () => this.oncancel()
    globalThis.approve = (paymentData) =>
      this.onpaymentauthorized({ payment: { token: { paymentData, paymentMethod: { displayName: 'Visa 1111' } } } })
  }
  begin() {
    this.onvalidatemerchant({ validationURL: globalThis.validationUrl ?? 'https://apple-pay-gateway.apple.com/paymentservices/startSession' })
  }
  completeMerchantValidation(session) {
    told('session', session)
  }
  completePayment(result) {
    told('result', result)
  }
  abort() {
    told('aborted', true)
  }
}
globalThis.PaymentRequest = class {
  constructor([method], details) {
    this.request = { ...method, details }
  }
  canMakePayment = async () => true
  show() {
    told('request', this.request)
    return new Promise((resolve, reject) => {
      globalThis.cancel = () => reject(new DOMException('closed', 'AbortError'))
      globalThis.approve = (token) =>
        resolve({
          complete: async () => undefined,
          details: { paymentMethodData: { tokenizationData: { token }, info: { cardDetails: '1111', assuranceDetails: { accountVerified: true, cardHolderAuthenticated: true } } } },
        })
    })
  }
}`

interface WalletPage {
  page: Page
  frame: Frame
  payments(): Promise<Record<string, unknown>[]>
  /** What the sheet was asked for, or told. */
  told(name: 'request' | 'session' | 'result' | 'aborted'): Promise<unknown>
}

async function openCheckout(
  embed: Record<string, unknown> = {},
  script = devices,
  more: object = {},
): Promise<WalletPage> {
  const order = crypto.randomUUID()
  const session = await town.session({ ...terms, ...more })
  const token = await signed(
    shop.signer,
    goodClaims({
      scopes: ['embed'],
      checkout_session_id: session,
      embed: { ...terms, metadata: { order }, ...embed },
    }),
  )
  const page = await town.open({
    body: '<h1>Pay</h1><div id="checkout"></div>',
    policy: { 'script-src': `${railyard.url}/elements/` },
  })
  await page.context().addInitScript(`if (parent !== window) { ${script} }`)
  await page.evaluate(`(async () => {
    const elements = await railyard.loadRailyard(${JSON.stringify({ origin: railyard.url, session, token })})
    const checkout = elements.checkout({ country: 'DE' })
    const events = []
    Object.assign(globalThis, { elements, checkout, events })
    for (const name of ['ready', 'paid', 'error']) checkout.on(name, (event) => events.push([name, event]))
    checkout.mount('#checkout')
  })()`)
  const frame = await (await page.waitForSelector('#checkout iframe')).contentFrame()
  if (!frame) throw new Error('the checkout has no frame')
  await frame.locator('input[type=radio], button.wallet').first().waitFor()
  return {
    page,
    frame,
    payments: async () =>
      (await shop.get(`/transactions?metadata=${encodeURIComponent(JSON.stringify({ order }))}`)).body.items,
    told: async (name) =>
      JSON.parse(
        (await frame.locator(`html[data-${name}]`).getAttribute(`data-${name}`)) ?? expect.fail(name),
      ),
  }
}

const wallets = {
  'Apple Pay': async (more: object = {}) =>
    (await shop.post('/sandbox/wallets/apple/token', { ...terms, ...more })).body.token,
  'Google Pay': async () => (await shop.post('/sandbox/wallets/google/token', {})).body.token,
}
const approve = (frame: Frame, token: unknown) => frame.evaluate(`approve(${JSON.stringify(token)})`)

describe.each([
  ['Apple Pay', 'applepay'],
  ['Google Pay', 'googlepay'],
] as const)('a buyer with %s', (name, method) => {
  test('pays with the wallet’s button, and the page learns the payment’s id and status only', async () => {
    const { page, frame, payments } = await openCheckout()
    await frame.getByRole('button', { name }).click()
    await approve(frame, await wallets[name]())
    await expect.poll(() => page.evaluate('events.length')).toBe(2)
    const [payment, ...others] = await payments()
    expect(others).toEqual([])
    expect(payment).toMatchObject({
      status: 'authorization_succeeded',
      method,
      payment_method: { label: '1111' },
    })
    expect(await page.evaluate('events')).toEqual([
      ['ready', undefined],
      ['paid', { transaction: { id: payment?.['id'], status: 'authorization_succeeded' } }],
    ])
  })

  test('who closes the sheet is back at the checkout, and can pay', async () => {
    const { page, frame, payments } = await openCheckout()
    const button = frame.getByRole('button', { name })
    await button.click()
    await expect.poll(() => button.isDisabled()).toBe(true)
    expect(await page.evaluate('checkout.confirm().catch(({ code }) => code)')).toBe('busy')
    await frame.evaluate('cancel()')
    await expect.poll(() => button.isDisabled()).toBe(false)
    expect(await payments()).toEqual([])
    await button.click()
    await approve(frame, await wallets[name]())
    await expect.poll(async () => (await payments()).length).toBe(1)
  })
})

test('where the session’s payment service takes no card numbers, the wallets’ buttons are there, and nothing says that the buyer cannot pay', async () => {
  const { body: service } = await shop.post('/payment-services', {
    display_name: 'Stripe',
    payment_service_definition_id: 'stripe-card',
    accepted_currencies: ['EUR'],
    accepted_countries: ['US'],
    fields: [
      { key: 'secret_key', value: 'sk_test_secret' },
      { key: 'publishable_key', value: 'pk_test_public' },
    ],
  })
  const { page, frame } = await openCheckout({}, devices, { payment_service_id: service.id })
  await frame.getByRole('button', { name: 'Google Pay' }).waitFor()
  expect(await frame.locator('#note').isVisible()).toBe(false)
  expect(await frame.getByRole('radio').count()).toBe(0)
  expect(await page.evaluate('events.map(([name, event]) => [name, event?.code])')).toEqual([
    ['error', 'no_card_fields'],
    ['ready', undefined],
  ])
  await shop.delete(`/payment-services/${service.id}`)
})

test('a browser without wallets gets no buttons', async () => {
  const { page, frame } = await openCheckout(
    {},
    'delete globalThis.PaymentRequest; delete globalThis.ApplePaySession',
  )
  await expect.poll(() => page.evaluate('events')).toEqual([['ready', undefined]])
  expect(await frame.locator('#wallets button').count()).toBe(0)
})

test('a page whose domain is not registered with Apple gets no button of Apple’s', async () => {
  const wallet = (await shop.get('/digital-wallets')).body.items.find(
    (each: { provider: string }) => each.provider === 'apple',
  )
  await shop.put(`/digital-wallets/${wallet.id}`, { domain_names: ['shop.example'] })
  const { frame } = await openCheckout()
  await frame.getByRole('button', { name: 'Google Pay' }).waitFor()
  expect(await frame.getByRole('button', { name: 'Apple Pay' }).count()).toBe(0)
  await shop.put(`/digital-wallets/${wallet.id}`, { domain_names: ['localhost'] })
})

test('Apple’s sheet has the merchant, the page’s domain, and what a gift card leaves to pay', async () => {
  const { frame, payments, told } = await openCheckout()
  const card = newGiftCard('00500')
  await frame.getByText('Pay with a gift card').click()
  await frame.getByLabel('Gift card number').fill(card.number)
  await frame.getByLabel('PIN').fill(card.pin)
  await frame.getByRole('button', { name: 'Use gift card' }).click()
  await frame.getByText('€7.99 is left to pay.').waitFor()
  expect(await barriersWithin(frame)).toEqual([])
  await frame.getByRole('button', { name: 'Apple Pay' }).click()
  expect(await told('session')).toMatchObject({ domainName: 'localhost', displayName: 'Tea House' })
  expect(await told('request')).toMatchObject({
    countryCode: 'DE',
    currencyCode: 'EUR',
    total: { label: 'Tea House', amount: '7.99', type: 'final' },
  })
  await approve(frame, await wallets['Apple Pay']({ amount: 7_99 }))
  expect(await told('result')).toEqual({ status: 0 })
  expect(await payments()).toMatchObject([
    { amount: 12_99, gift_card_redemptions: [{ amount: 5_00 }], payment_method: { method: 'applepay' } },
  ])
})

test('Google’s sheet has the gateway, the merchant and the amount', async () => {
  const { frame, told } = await openCheckout()
  await frame.getByRole('button', { name: 'Google Pay' }).click()
  expect(await told('request')).toMatchObject({
    supportedMethods: 'https://google.com/pay',
    data: {
      environment: 'TEST',
      merchantInfo: { merchantName: 'Tea House', merchantOrigin: 'localhost', authJwt: expect.any(String) },
      allowedPaymentMethods: [
        {
          tokenizationSpecification: {
            parameters: { gatewayMerchantId: expect.stringContaining(shop.account) },
          },
        },
      ],
      transactionInfo: { totalPrice: '12.99', currencyCode: 'EUR', countryCode: 'DE' },
    },
  })
})

test('a sheet shows an amount by the digits of its currency, whatever the browser’s own table says', async () => {
  await shop.post('/payment-services', mockCardService({ accepted_currencies: ['HUF'] }))
  const forints = { amount: 12_990_00, currency: 'HUF' }
  const { frame, told } = await openCheckout(forints, devices, forints)
  await frame.getByRole('button', { name: 'Google Pay' }).click()
  expect(await told('request')).toMatchObject({
    data: { transactionInfo: { totalPrice: '12990.00', currencyCode: 'HUF' } },
  })
})

test('a sheet that shows another amount than the page’s new terms pays nothing', async () => {
  const { page, frame, payments } = await openCheckout()
  await frame.getByRole('button', { name: 'Google Pay' }).click()
  const session = await town.session({ ...terms, amount: 14_00 })
  const embed = { ...terms, amount: 14_00 }
  const token = await signed(
    shop.signer,
    goodClaims({ scopes: ['embed'], checkout_session_id: session, embed }),
  )
  await page.evaluate(`elements.useSession(${JSON.stringify(session)}, ${JSON.stringify(token)})`)
  await expect.poll(() => page.evaluate('events.length')).toBe(2)
  await approve(frame, await wallets['Google Pay']())
  await expect
    .poll(() => page.evaluate('events.map(([name, error]) => [name, error?.code])'))
    .toContainEqual(['error', 'refused'])
  expect(await payments()).toEqual([])
})

test('a payment by a wallet’s button that is declined is told to the buyer, the wallet and the page', async () => {
  const { page, frame, told } = await openCheckout({ amount: 200011 })
  await frame.getByRole('button', { name: 'Apple Pay' }).click()
  await approve(frame, await wallets['Apple Pay']({ amount: 200011 }))
  await frame.getByRole('alert').getByText('Your bank has declined the payment.').waitFor()
  expect(await told('result')).toEqual({ status: 1 })
  await expect
    .poll(() => page.evaluate('events.map(([name, error]) => [name, error?.code, error?.advice])'))
    .toEqual([
      ['ready', undefined, undefined],
      ['error', 'declined', 'bank'],
    ])
  expect(await barriersWithin(frame)).toEqual([])
})

test('a session that Apple refuses closes the sheet, and the buyer pays another way', async () => {
  const { frame, told } = await openCheckout()
  await frame.evaluate('Object.assign(globalThis, { validationUrl: "https://evil.example" })')
  await frame.getByRole('button', { name: 'Apple Pay' }).click()
  expect(await told('aborted')).toBe(true)
  await frame.getByRole('alert').getByText('nothing was charged').waitFor()
  expect(await frame.getByRole('radio').first().isDisabled()).toBe(false)
})
