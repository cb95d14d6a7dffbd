import { afterEach, expect, test } from 'vitest'
import { addService } from '../../support/shop.ts'
import { fields } from './harness.ts'
import { openCheckoutShopForFile } from './shop.ts'

const { shop: checkout, fake } = await openCheckoutShopForFile()
const MINUTE_MS = 60_000

const { shop, railyard } = checkout
const { http } = railyard.world
const send = http.request.bind(http)
await addService(railyard, shop, {
  display_name: 'The same account again',
  payment_service_definition_id: 'checkout-card',
  fields: Object.entries({ ...fields, card_numbers: 'allow' }).map(([key, value]) => ({ key, value })),
})
afterEach(() => {
  http.request = send
})

test('a second attempt whose answer is lost is not taken for the first one, which was declined', async () => {
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

test.each([
  { declined: 'tok_20005', recommendation: undefined, attempts: 2 },
  { declined: 'tok_20005', recommendation: '02', attempts: 2 },
  { declined: 'tok_20005', recommendation: '03', attempts: 1 },
  { declined: 'tok_30035', recommendation: undefined, attempts: 1 },
])(
  'a card that is declined with $declined and recommendation $recommendation is tried $attempts times',
  async ({ declined: token, recommendation, attempts }) => {
    let made = 0
    http.request = async (request) => {
      if (request.method !== 'POST' || !request.url.endsWith('/payments')) return send(request)
      made += 1
      const answer = await send({
        ...request,
        body: { ...Object(request.body), source: { type: 'token', token } },
      })
      return answer.lost || recommendation === undefined
        ? answer
        : { ...answer, body: { ...Object(answer.body), processing: { recommendation_code: recommendation } } }
    }
    const payment = await shop.authorized(10_00)
    expect(await payment.read()).toMatchObject({
      status: 'authorization_failed',
      error_code: 'issuer_decline',
    })
    expect(made).toBe(attempts)
  },
)
