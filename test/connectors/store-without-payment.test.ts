import { describe, expect, test } from 'vitest'
import { verify } from '../../src/verify/verify.ts'
import { openProviderShop, type ProviderShop } from '../support/domains/provider-shop.ts'
import { adyenFake } from './adyen/fake.ts'
import { fields as adyenFields, encrypted } from './adyen/harness.ts'
import { openCheckoutShop } from './checkout/shop.ts'
import { mollieFake } from './mollie/fake.ts'
import { fields as mollieFields } from './mollie/harness.ts'
import { FakeStripe } from './stripe/fake.ts'
import { fields as stripeFields } from './stripe/support.ts'

const openers = {
  adyen: () => {
    const fake = adyenFake(Date.now())
    return openProviderShop(fake, {
      definition: 'adyen-card',
      host: '.adyen.com',
      fields: adyenFields,
      token: encrypted,
      advance: fake.advance,
    })
  },
  checkout: async () => (await openCheckoutShop('tok_visa')).shop,
  stripe: () => {
    const fake = new FakeStripe()
    fake.advance(Date.now() - fake.now())
    return openProviderShop(fake, {
      definition: 'stripe-card',
      host: '.stripe.com',
      fields: stripeFields,
      token: 'pm_card_visa',
      advance: (ms) => fake.advance(ms),
    })
  },
  mollie: () => {
    const fake = mollieFake(Date.now())
    return openProviderShop(fake, {
      definition: 'mollie-card',
      host: '.mollie.com',
      fields: mollieFields,
      token: 'tkn_approved',
      advance: fake.advance,
    })
  },
}

const store = ({ shop, payment }: ProviderShop) =>
  shop.post('/payment-methods', { ...(payment['payment_method'] as object), currency: 'EUR' })

const shown = {
  adyen: { label: '4444', scheme: 'mastercard', expiration_date: '03/30', details: { card_type: 'debit' } },
  checkout: { label: '4242', scheme: 'visa', expiration_date: '12/30', details: { card_type: 'credit' } },
  stripe: { label: '4242', scheme: 'visa', expiration_date: '12/30', details: { card_type: 'credit' } },
}

describe.each(['adyen', 'checkout', 'stripe'] as const)('%s', (name) => {
  test('stores a card without a payment, which the merchant charges later', async () => {
    const provider = await openers[name]()
    const { status, body } = await store(provider)
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'succeeded', ...shown[name] } })
    const { body: later } = await provider.shop.pay(4_99, {
      country: 'DE',
      payment_source: 'recurring',
      merchant_initiated: true,
      is_subsequent_payment: true,
      payment_method: { method: 'id', id: body.id },
    })
    expect(later).toMatchObject({ status: 'authorization_succeeded', instrument_type: 'card_token' })
    expect((await verify(provider.railyard.world.run)).findings).toEqual([])
    await provider.railyard.close()
  })

  test('tells what became of a card whose answer was lost', async () => {
    const provider = await openers[name]()
    provider.loseNext()
    const { status, body } = await store(provider)
    expect(status).toBe(201)
    provider.arrive()
    // what a provider without a way to ask needs to be sure that nothing follows
    provider.advance(3_600_000)
    await provider.deliver()
    await provider.settle()
    const { body: method } = await provider.shop.get(`/payment-methods/${body.id}`)
    const { body: tokens } = await provider.shop.get(`/payment-methods/${body.id}/payment-service-tokens`)
    expect(method.status).toBe(tokens.items.length > 0 ? 'succeeded' : 'failed')
    expect((await verify(provider.railyard.world.run)).findings).toEqual([])
    await provider.railyard.close()
  })
})

test('Mollie stores cards with payments only, and a request to store one without a payment says so', async () => {
  const provider = await openers.mollie()
  expect(await store(provider)).toMatchObject({
    status: 400,
    body: { details: [{ pointer: '/payment_service_id', message: expect.stringContaining('zero_auth') }] },
  })
  await provider.railyard.close()
})
