import { expect, test } from 'vitest'
import { expectBooksMatch, injectFaults } from '../../../test/support/provider.ts'
import { invalidFields, openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop()

test('a capture without an amount takes the whole authorization', async () => {
  const payment = await shop.authorized(12_99)
  const answer = await payment.capture()
  expect(answer).toMatchObject({
    status: 200,
    body: { type: 'transaction', id: payment.id, status: 'capture_succeeded', captured_amount: 12_99 },
  })
  expect(answer.body.captured_at).not.toBeNull()
  expect(await payment.captures()).toMatchObject([
    {
      type: 'capture',
      transaction_id: payment.id,
      status: 'succeeded',
      amount: 12_99,
      currency: 'EUR',
      final: true,
      error_code: null,
    },
  ])
})

test('a capture without a body is one with an empty body, also for its idempotency key', async () => {
  const payment = await shop.authorized(13_99)
  const key = { 'idempotency-key': crypto.randomUUID() }
  const answer = await shop.post(`/transactions/${payment.id}/capture`, undefined, key)
  expect(answer).toMatchObject({ status: 200, body: { status: 'capture_succeeded', captured_amount: 13_99 } })
  expect(await shop.post(`/transactions/${payment.id}/capture`, {}, key)).toMatchObject({
    status: 200,
    body: answer.body,
  })
  expect(
    (
      await shop.post(`/transactions/${payment.id}/capture`, undefined, {
        'content-type': 'application/json',
      })
    ).status,
  ).toBe(400)
  expect((await payment.read()).captured_amount).toBe(13_99)
})

test('a capture of a part is final by default and releases the rest', async () => {
  const payment = await shop.authorized(50_00)
  expect(await payment.capture({ amount: 20_00 })).toMatchObject({
    status: 200,
    body: { captured_amount: 20_00, authorized_amount: 50_00 },
  })
  expect(await payment.capture({ amount: 1_00 })).toMatchObject({
    status: 400,
    body: { code: 'bad_request' },
  })
  expect((await payment.read()).captured_amount).toBe(20_00)
})

test('captures that are not final keep the rest available until a final one', async () => {
  const payment = await shop.authorized(90_00)
  await payment.capture({ amount: 30_00, final: false, external_identifier: 'parcel-1' })
  const second = await payment.capture({ amount: 20_00, final: false, external_identifier: 'parcel-2' })
  expect(second.body).toMatchObject({ status: 'capture_succeeded', captured_amount: 50_00 })
  const last = await payment.capture({ external_identifier: 'parcel-3' })
  expect(last.body).toMatchObject({ status: 'capture_succeeded', captured_amount: 90_00 })
  expect(await payment.captures()).toMatchObject([
    { amount: 40_00, final: true, external_identifier: 'parcel-3' },
    { amount: 20_00, final: false, external_identifier: 'parcel-2' },
    { amount: 30_00, final: false, external_identifier: 'parcel-1' },
  ])
  expect((await payment.capture({ final: false })).status).toBe(400)
})

test('a capture of more than is left of the authorization is refused, and the error names the amount', async () => {
  const payment = await shop.authorized(10_00)
  expect(await payment.capture({ amount: 10_01 })).toMatchObject(invalidFields('/amount'))
  expect(await payment.capture({ amount: 0 })).toMatchObject(invalidFields('/amount'))
  await payment.capture({ amount: 6_00, final: false })
  expect(await payment.capture({ amount: 4_01 })).toMatchObject(invalidFields('/amount'))
  expect((await payment.read()).captured_amount).toBe(6_00)
})

test.each([
  [{ over_capture_amount: 5_00 }, 105_00],
  [{ over_capture_percentage: 15 }, 115_00],
  [{ over_capture_amount: 5_00, over_capture_percentage: 15 }, 105_00],
  [{ over_capture_amount: 20_00, over_capture_percentage: 1 }, 101_00],
])('an account with %o may capture up to %i of 10000 authorized', async (settings, limit) => {
  const overCapturing = await openShop(railyard, { settings })
  const payment = await overCapturing.authorized(100_00)
  expect(await payment.capture({ amount: limit + 1 })).toMatchObject(invalidFields('/amount'))
  expect(await payment.capture({ amount: limit })).toMatchObject({
    status: 200,
    body: { authorized_amount: 100_00, captured_amount: limit },
  })
  await expectBooksMatch(railyard, overCapturing.account)
})

test('several captures share one over-capture allowance', async () => {
  const overCapturing = await openShop(railyard, { settings: { over_capture_amount: 5_00 } })
  const payment = await overCapturing.authorized(100_00)
  await payment.capture({ amount: 103_00, final: false })
  expect(await payment.capture({ amount: 2_01, final: false })).toMatchObject({ status: 400 })
  expect(await payment.capture({ amount: 2_00 })).toMatchObject({
    status: 200,
    body: { captured_amount: 105_00 },
  })
  await expectBooksMatch(railyard, overCapturing.account)
})

test.each([
  [500001, 'failed', 'service_network_error'],
  [500002, 'declined', 'refused_transaction'],
])(
  'a capture of %i is %s: the authorization stands and can be captured again',
  async (amount, status, code) => {
    const payment = await shop.authorized(600000)
    const answer = await payment.capture({ amount }, { prefer: 'resource=transaction-capture' })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        type: 'transaction-capture',
        status,
        code,
        raw_response_code: code,
        transaction: { status: 'authorization_succeeded', captured_amount: 0 },
      },
    })
    expect(await payment.captures()).toMatchObject([{ status, error_code: code, final: true }])
    expect(await payment.timeline()).toContain(`payment-connector-response-transaction-capture-${status}`)
    expect((await payment.capture({ amount: 600000 })).body.status).toBe('capture_succeeded')
  },
)

test('a capture that the payment service has not decided is pending, and a sync finds its outcome', async () => {
  const payment = await shop.authorized(500003)
  expect((await payment.capture()).body).toMatchObject({ status: 'capture_pending', captured_amount: 0 })
  expect(await payment.captures()).toMatchObject([{ status: 'pending' }])
  expect((await payment.void()).status).toBe(400)
  expect((await payment.refund()).status).toBe(400)
  expect((await payment.sync()).body).toMatchObject({ status: 'capture_succeeded', captured_amount: 500003 })
})

test('the amount of a pending capture cannot be captured twice', async () => {
  const payment = await shop.authorized(600000)
  await payment.capture({ amount: 500003, final: false })
  expect(await payment.capture({ amount: 99_998, final: false })).toMatchObject(invalidFields('/amount'))
  expect((await payment.capture({ amount: 99_997, final: false })).body).toMatchObject({
    status: 'capture_succeeded',
    captured_amount: 99_997,
  })
  expect((await payment.sync()).body).toMatchObject({ status: 'capture_succeeded', captured_amount: 600000 })
})

test('a final capture ends the authorization, also while an earlier one is being looked up', async () => {
  const payment = await shop.authorized(600000)
  await payment.capture({ amount: 1_00, final: false })
  await payment.capture({ amount: 500003, final: false })
  await injectFaults(railyard, { operation: 'find', kind: 'delay', delay_ms: 300 })
  const synced = payment.sync()
  await expect
    .poll(async () => (await railyard.admin.get('/sandbox/faults')).body.items[0].struck, { interval: 5 })
    .toBe(1)
  expect((await payment.capture({ amount: 1_00 })).body.captured_amount).toBe(2_00)
  expect((await synced).body.captured_amount).toBe(500203)
  await injectFaults(railyard)
  expect(await payment.capture({ amount: 1_00 })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('final') },
  })
})

test('the representation transaction-capture shows the capture’s ids and the buyer', async () => {
  const buyer = {
    display_name: 'Ada',
    billing_details: { first_name: 'Ada', address: { city: 'London' } },
    shipping_details: { first_name: 'Ada' },
  }
  const payment = await shop.authorized(5_00, { buyer })
  const { body } = await payment.capture(
    { external_identifier: 'box-9' },
    { prefer: 'resource=transaction-capture' },
  )
  const [capture] = await payment.captures()
  expect(body).toMatchObject({
    type: 'transaction-capture',
    status: 'succeeded',
    code: null,
    capture_id: capture.id,
    payment_service_capture_id: capture.xid,
    external_identifier: 'box-9',
    billing_details: { first_name: 'Ada' },
    shipping_details: { first_name: 'Ada' },
    transaction: { id: payment.id, status: 'capture_succeeded' },
  })
})

test('a capture may have a cart of its own, and is found under its own transaction only', async () => {
  const [payment, other] = [
    await shop.authorized(5_00, { external_identifier: 'order-5' }),
    await shop.authorized(5_00),
  ]
  await payment.capture({ cart_items: [{ name: 'Pen', quantity: 1, unit_amount: 5_00, type: 'physical' }] })
  const [capture] = await payment.captures()
  expect(await shop.get(`/transactions/${payment.id}/captures/${capture.id}`)).toMatchObject({
    status: 200,
    body: {
      cart_items: [{ name: 'Pen', type: 'physical', product_type: 'physical' }],
      transaction_external_identifier: 'order-5',
    },
  })
  expect((await shop.get(`/transactions/${other.id}/captures/${capture.id}`)).status).toBe(404)
})

test('only an authorized payment can be captured', async () => {
  const [failed, voided, sold, zero] = [
    await shop.authorized(200011),
    await shop.authorized(5_00),
    await shop.sold(5_00),
    await shop.authorized(0),
  ]
  await voided.void()
  for (const payment of [failed, voided, sold, zero]) expect((await payment.capture()).status).toBe(400)
  expect((await shop.payment(crypto.randomUUID()).capture()).status).toBe(404)
})
