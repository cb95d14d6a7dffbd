import { expect, test } from 'vitest'
import { addService } from '../../support/shop.ts'
import { fields } from './harness.ts'
import { openCheckoutShopForFile } from './shop.ts'

const { shop: checkout, fake } = await openCheckoutShopForFile()
const MINUTE_MS = 60_000

test('a second attempt whose answer is lost is not taken for the first one, which was declined', async () => {
  const { shop, railyard } = checkout
  await addService(railyard, shop, {
    display_name: 'The same account again',
    payment_service_definition_id: 'checkout-card',
    fields: Object.entries({ ...fields, card_numbers: 'allow' }).map(([key, value]) => ({ key, value })),
  })
  const { http } = railyard.world
  const send = http.request.bind(http)
  let attempts = 0
  http.request = async (request) => {
    if (request.method !== 'POST' || !request.url.endsWith('/payments')) return send(request)
    attempts += 1
    if (attempts > 1) {
      checkout.loseNext()
      return send(request)
    }
    // the issuer declines the first attempt
    const body = { ...Object(request.body), source: { type: 'token', token: 'tok_20005' } }
    return send({ ...request, body })
  }
  const payment = await shop.authorized(10_00)
  expect(attempts).toBe(2)
  expect(await payment.read()).toMatchObject({ status: 'processing' })
  checkout.arrive()
  checkout.advance(MINUTE_MS)
  await checkout.settle()
  expect(await payment.read()).toMatchObject({ status: 'authorization_succeeded', authorized_amount: 10_00 })
  expect(fake.effects().map(({ kind }) => kind)).toEqual(['authorize'])
})
