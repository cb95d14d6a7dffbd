import { expect, test } from 'vitest'
import { bnplService, startBnplShop } from '../../../test/support/domains/bnpl.ts'

const { railyard, shop, wire } = await startBnplShop()

const session = (id: string, body?: unknown) => shop.post(`/payment-services/${id}/sessions`, body)

test('returns the service’s client id for the express button without a request to the provider', async () => {
  const calls = wire.calls
  expect(await session(shop.serviceId, {})).toMatchObject({
    status: 200,
    body: {
      type: 'payment-service-session',
      status: 'succeeded',
      code: null,
      status_code: 200,
      response_body: { client_id: 'klarna_test_client_abc' },
    },
  })
  expect(wire.calls).toBe(calls)
})

test('creates an express session without a body', async () => {
  expect(await session(shop.serviceId)).toMatchObject({
    status: 200,
    body: { status: 'succeeded', response_body: { client_id: 'klarna_test_client_abc' } },
  })
})

test('a session with a body, or without a client id, fails with the reason', async () => {
  const failed = (code: string, message: RegExp) => ({
    status: 200,
    body: {
      status: 'failed',
      code,
      status_code: null,
      response_body: null,
      message: expect.stringMatching(message),
    },
  })
  expect(await session(shop.serviceId, { purchase_country: 'DE' })).toMatchObject(
    failed('invalid_request_parameters', /creates no sessions/),
  )
  const fields = bnplService().fields.filter(({ key }) => key !== 'client_id')
  const bare = await railyard.admin.post('/payment-services', bnplService({ fields }), {
    'x-svc-merchant-account-id': shop.account,
  })
  expect(await session(bare.body.id, {})).toMatchObject(failed('invalid_service_configuration', /client_id/))
  await railyard.admin.delete(`/payment-services/${bare.body.id}`)
})

test.each([
  ['authorize', 'authorization_succeeded'],
  ['capture', 'capture_succeeded'],
])('a payment with the express button’s token succeeds at once (%s)', async (intent, status) => {
  const token = await shop.pressExpress(60_00)
  const { body } = await shop.buyExpress(60_00, token, { intent })
  expect(body).toMatchObject({
    status,
    authorized_amount: 60_00,
    session_token: null,
    payment_method: { approval_url: null },
  })
})

test('a token expires after an hour, and the transaction has the reason', async () => {
  const token = await shop.pressExpress(61_00)
  railyard.clock.advance(61 * 60_000)
  const { status, body } = await shop.buyExpress(61_00, token)
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      status: 'authorization_failed',
      error_code: 'expired_authorization',
      raw_response_description: 'Authorization token expired',
    },
  })
})

test.each(['11111111-2222-4333-8444-555555555555', 'no token at all', '../../orders', '\u{1F600}'])(
  'a token that the provider does not know (%s) pays nothing',
  async (token) => {
    expect(await shop.buyExpress(62_00, token)).toMatchObject({
      status: 201,
      body: { status: 'authorization_failed', error_code: 'invalid_payment_method', authorized_amount: 0 },
    })
  },
)

test('a token pays once: a second payment is refused, and the first does not change', async () => {
  const token = await shop.pressExpress(63_00)
  const first = await shop.buyExpress(63_00, token)
  const second = await shop.buyExpress(63_00, token)
  expect(first.body.status).toBe('authorization_succeeded')
  expect(second).toMatchObject({
    status: 201,
    body: {
      status: 'authorization_failed',
      error_code: 'duplicate_transaction',
      raw_response_description: 'Authorization token already consumed',
    },
  })
})

test('a token for another amount is refused', async () => {
  const token = await shop.pressExpress(64_00)
  expect(await shop.buyExpress(64_01, token)).toMatchObject({
    status: 201,
    body: { status: 'authorization_failed', error_code: 'service_resource_conflict' },
  })
})

test('two requests with one idempotency key make one payment', async () => {
  const token = await shop.pressExpress(65_00)
  const pay = () =>
    shop.buy(
      65_00,
      { connection_options: { 'bnpl-bnpl': { authorization_token: token } } },
      { 'idempotency-key': `express-${token}` },
    )
  const [first, second] = [await pay(), await pay()]
  expect(second.body.id).toBe(first.body.id)
  expect(second.body.status).toBe('authorization_succeeded')
})
