import { describe, expect, test } from 'vitest'
import { mockCardService } from '../../../test/support/railyard.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import { paymentServices } from '../../payment-services/payment-service.store.ts'
import { type PaymentOptionSources, paymentOptions } from './payment-option.ts'

const railyard = await startRailyardForFile()
const merchant = await railyard.merchant()
const fields = (values: Record<string, string>) =>
  Object.entries(values).map(([key, value]) => ({ key, value }))
await merchant.post('/payment-services', {
  ...mockCardService({
    payment_service_definition_id: 'wallet-wallet',
    accepted_countries: ['US'],
    accepted_currencies: ['USD'],
  }),
  fields: fields({ client_id: 'c', client_secret: 's', environment: 'simulator', webhook_id: 'w' }),
})
const services: readonly ConfiguredService[] = await paymentServices(railyard.world, merchant.account)
expect(services.map(({ method }) => method)).toEqual(['card', 'wallet'])

const listOptions = async (body: Record<string, unknown> = {}) =>
  (await merchant.post('/payment-options', body)).body.items
const methods = (items: { method: string }[]) => items.map(({ method }) => method)

describe('the payment options of a merchant', () => {
  test('are one for each method, with its capabilities', async () => {
    expect(await merchant.post('/payment-options', {})).toMatchObject({ status: 200 })
    expect(await listOptions()).toEqual([
      {
        type: 'payment-option',
        method: 'card',
        mode: 'card',
        label: 'Card',
        icon_url: `${railyard.url}/assets/payment-methods/card.svg`,
        can_store_payment_method: true,
        can_delay_capture: true,
        context: null,
      },
      {
        type: 'payment-option',
        method: 'wallet',
        mode: 'redirect',
        label: 'Wallet',
        icon_url: `${railyard.url}/assets/payment-methods/wallet.svg`,
        can_store_payment_method: true,
        can_delay_capture: true,
        context: {
          approval_ui: { height: '100vh', width: '100vw' },
          required_fields: null,
          redirect_requires_popup: false,
          requires_tokenized_redirect_popup: false,
        },
      },
    ])
  })

  test('are filtered by country, by currency, and for an amount of zero', async () => {
    expect(methods(await listOptions({ country: 'DE' }))).toEqual(['card'])
    expect(methods(await listOptions({ country: 'US', currency: 'USD' }))).toEqual(['card', 'wallet'])
    expect(methods(await listOptions({ country: 'US', currency: 'EUR' }))).toEqual(['card'])
    expect(methods(await listOptions({ country: 'FR' }))).toEqual([])
    expect(methods(await listOptions({ amount: 0 }))).toEqual(['card'])
    expect(methods(await listOptions({ amount: 1 }))).toEqual(['card', 'wallet'])
  })

  test('have labels in the buyer’s language', async () => {
    const label = async (locale: string) => (await listOptions({ locale }))[0].label
    expect([
      await label('de'),
      await label('pt-BR'),
      await label('FR'),
      await label('tlh'),
      await label('__proto__'),
    ]).toEqual(['Karte', 'Cartão', 'Carte', 'Card', 'Card'])
  })

  test('are refused for an unknown currency or a wrong body', async () => {
    expect(await merchant.post('/payment-options', { currency: 'XXQ' })).toMatchObject(
      invalidFields('/currency'),
    )
    expect((await merchant.post('/payment-options', { country: 'Germany' })).status).toBe(422)
    expect((await merchant.post('/payment-options')).status).toBe(422)
  })

  test('come from the merchant’s own active payment services only', async () => {
    const other = await railyard.merchant()
    expect(methods((await other.post('/payment-options', {})).body.items)).toEqual(['card'])
    await other.put(`/payment-services/${other.paymentServiceId}`, { active: false })
    expect((await other.post('/payment-options', {})).body.items).toEqual([])
    await other.put(`/payment-services/${other.paymentServiceId}`, { active: true })
    await other.delete(`/payment-services/${other.paymentServiceId}`)
    expect(await other.post('/payment-options', {})).toMatchObject({ status: 200, body: { items: [] } })
  })
})

test('a browser gets the payment options for the amount and currency of its token', async () => {
  const embed = { amount: 10_00, currency: 'EUR', merchant_account_id: merchant.account }
  const browser = await railyard.client({ account: merchant.account, scopes: ['embed'], embed })
  expect(methods((await browser.post('/payment-options', { country: 'US' })).body.items)).toEqual(['card'])
  expect(await browser.post('/payment-options', { amount: 0, currency: 'USD' })).toMatchObject(
    invalidFields('/amount', '/currency'),
  )
  expect((await browser.post('/payment-options', { amount: 10_00, currency: 'EUR' })).status).toBe(200)
})

describe('registered wallets', () => {
  const offer = (more: Partial<PaymentOptionSources> = {}): PaymentOptionSources => ({
    services,
    connectors: railyard.world.connectors,
    wallets: [
      { provider: 'google', merchantName: 'Shop' },
      { provider: 'apple', merchantName: 'Shop' },
    ],
    publicUrl: 'https://railyard.example',
    gateway: 'railyard',
    gatewayMerchantId: 'app.svc.sandbox.railyard.default',
    ...more,
  })

  test('come after the methods, with the values that a page needs to show them', () => {
    const supported_schemes = ['visa', 'mastercard', 'amex', 'discover', 'jcb']
    expect(paymentOptions(offer(), {}).slice(2)).toMatchObject([
      {
        method: 'googlepay',
        mode: 'googlepay',
        label: 'Google Pay',
        context: {
          merchant_name: 'Shop',
          supported_schemes,
          gateway: 'railyard',
          gateway_merchant_id: 'app.svc.sandbox.railyard.default',
        },
      },
      {
        method: 'applepay',
        mode: 'applepay',
        label: 'Apple Pay',
        context: { merchant_name: 'Shop', supported_schemes },
      },
    ])
  })

  test('of the account are among its payment options', async () => {
    const shop = await railyard.merchant()
    const created = await shop.post('/digital-wallets', {
      provider: 'google',
      merchant_name: 'Ltd',
      merchant_display_name: 'Shop',
      accept_terms_and_conditions: true,
    })
    expect(created).toMatchObject({ status: 201 })
    const { items } = (await shop.post('/payment-options', {})).body
    expect(methods(items)).toEqual(['card', 'googlepay'])
    expect(items[1].context).toMatchObject({
      merchant_name: 'Shop',
      gateway_merchant_id: `app.svc.sandbox.railyard.${shop.account}`,
    })
  })

  test('are no option if no payment service takes cards', () => {
    expect(
      paymentOptions(offer({ services: services.filter(({ method }) => method !== 'card') }), {}).map(
        ({ method }) => method,
      ),
    ).toEqual(['wallet'])
    expect(methods(paymentOptions(offer(), { country: 'FR' }))).toEqual([])
  })
})
