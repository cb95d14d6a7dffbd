import { Checkout } from 'checkout-sdk-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveFake } from '../support/loopback.ts'
import { type CheckoutFake, checkoutFake, SECRET_KEY } from './fake.ts'

let server: Awaited<ReturnType<typeof serveFake>>
let fake: CheckoutFake
let sdk: Checkout

/** Checkout.com's own library, which talks to the fake over a loopback server. */
beforeAll(async () => {
  fake = checkoutFake()
  server = await serveFake(fake)
  const { port } = server
  sdk = new Checkout(SECRET_KEY, { host: `http://127.0.0.1:${port}`, useLegacyDomain: true, timeout: 5000 })
})
afterAll(() => server.close())

const order = {
  source: { type: 'token', token: 'tok_visa' },
  amount: 10_00,
  currency: 'EUR',
  capture: false,
  authorization_type: 'Estimated',
  reference: 'sdk-order',
}

test('the library pays, raises, captures, refunds and reads at the fake', async () => {
  const paid: { id: string; approved: boolean } = Object(await sdk.payments.request(order, 'key-1'))
  expect(paid).toMatchObject({ approved: true, status: 'Authorized', response_code: '10000' })
  expect(await sdk.payments.request(order, 'key-1')).toMatchObject({ id: paid.id })
  expect(await sdk.payments.increment(paid.id, { amount: 5_00, reference: 'sdk-more' })).toMatchObject({
    approved: true,
  })
  expect(await sdk.payments.capture(paid.id, { amount: 12_00, reference: 'sdk-capture' })).toMatchObject({
    reference: 'sdk-capture',
  })
  expect(await sdk.payments.refund(paid.id, { amount: 2_00, reference: 'sdk-refund' })).toMatchObject({
    reference: 'sdk-refund',
  })
  expect(await sdk.payments.get(paid.id)).toMatchObject({ id: paid.id, reference: 'sdk-order' })
  expect(await sdk.payments.getActions(paid.id)).toMatchObject([
    { type: 'Authorization', approved: true },
    { type: 'Authorization', amount: 5_00 },
    { type: 'Capture', reference: 'sdk-capture' },
    { type: 'Refund', reference: 'sdk-refund' },
  ])
  expect(await sdk.payments.getPaymentList({ reference: 'sdk-order' })).toMatchObject({ total_count: 1 })
  expect(fake.effects().map(({ kind, amount }) => [kind, amount])).toEqual([
    ['authorize', 10_00],
    ['increment', 5_00],
    ['capture', 12_00],
    ['refund', 2_00],
  ])
})

test('the library reads a declined payment as a result', async () => {
  const source = { type: 'token', token: 'tok_20051' }
  expect(await sdk.payments.request({ ...order, source }, 'key-2')).toMatchObject({
    approved: false,
    response_code: '20051',
    response_summary: 'Insufficient Funds',
  })
})

test('the library reads a refused request as an error', async () => {
  const source = { type: 'token', token: 'tok_expired' }
  await expect(sdk.payments.request({ ...order, source }, 'key-3')).rejects.toMatchObject({
    http_code: 422,
    body: { error_codes: ['token_expired'] },
  })
})
