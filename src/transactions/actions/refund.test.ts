import { expect, test } from 'vitest'
import { booksOf } from '../../../test/support/provider.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop()

test('a refund without a body refunds everything', async () => {
  const payment = await shop.sold(41_00)
  expect(await shop.post(`/transactions/${payment.id}/refunds`)).toMatchObject({
    status: 201,
    body: { status: 'succeeded', amount: 41_00 },
  })
})

test('a refund without an amount refunds everything, and the transaction keeps its status', async () => {
  const payment = await shop.sold(40_00, { external_identifier: 'order-1' })
  const answer = await payment.refund({ reason: 'Broken', external_identifier: 'rma-1' })
  expect(answer).toMatchObject({
    status: 201,
    body: {
      type: 'refund',
      transaction_id: payment.id,
      status: 'succeeded',
      amount: 40_00,
      currency: 'EUR',
      reason: 'Broken',
      external_identifier: 'rma-1',
      transaction_external_identifier: 'order-1',
      target_type: 'payment-method',
      target_id: null,
      error_code: null,
    },
  })
  expect(await payment.read()).toMatchObject({
    status: 'capture_succeeded',
    captured_amount: 40_00,
    refunded_amount: 40_00,
  })
})

test('partial refunds add up to the capture and never exceed it', async () => {
  const payment = await shop.sold(10_00)
  await payment.refund({ amount: 3_00 })
  await payment.refund({ amount: 2_00 })
  expect(await payment.refund({ amount: 5_01 })).toMatchObject(invalidFields('/amount'))
  expect(await payment.refund()).toMatchObject({ status: 201, body: { amount: 5_00 } })
  expect(await payment.refund({ amount: 1 })).toMatchObject(invalidFields('/amount'))
  expect((await payment.refunds()).map(({ amount }) => amount)).toEqual([5_00, 2_00, 3_00])
})

test('of two concurrent refunds that together exceed the capture one succeeds and the other is a 400', async () => {
  const payment = await shop.sold(100_00)
  const answers = await Promise.all([payment.refund({ amount: 60_00 }), payment.refund({ amount: 60_00 })])
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, 400])
  expect((await payment.read()).refunded_amount).toBe(60_00)
  const { payment_service_transaction_id: reference } = await payment.read()
  const { payments } = await booksOf(railyard)
  expect(payments.find(({ payment_id }) => payment_id === reference)?.refunded).toBe(60_00)
})

test.each([
  [520001, 'failed', 'disputed_transaction'],
  [520002, 'declined', 'issuer_decline'],
  [520003, 'failed', 'service_error'],
  [520004, 'failed', 'refund_already_satisfied'],
])(
  'a refund of %i is created with the status %s, and its money can be refunded again',
  async (amount, status, code) => {
    const payment = await shop.sold(600000)
    expect(await payment.refund({ amount })).toMatchObject({
      status: 201,
      body: { status, error_code: code, raw_response_code: code, amount },
    })
    expect((await payment.read()).refunded_amount).toBe(0)
    expect(await payment.refund()).toMatchObject({
      status: 201,
      body: { status: 'succeeded', amount: 600000 },
    })
  },
)

test('a refund that the payment service has not decided is processing, and its money cannot be refunded twice', async () => {
  const payment = await shop.sold(600000)
  const pending = await payment.refund({ amount: 520005 })
  expect(pending).toMatchObject({ status: 201, body: { status: 'processing' } })
  expect((await payment.read()).refunded_amount).toBe(0)
  expect(await payment.refund({ amount: 79_996 })).toMatchObject(invalidFields('/amount'))
  expect(await payment.refund()).toMatchObject({ status: 201, body: { amount: 79_995, status: 'succeeded' } })
  expect((await payment.sync()).body.refunded_amount).toBe(600000)
  expect((await shop.get(`/refunds/${pending.body.id}`)).body.status).toBe('succeeded')
})

test('only captured money can be refunded', async () => {
  const [authorized, failed] = [await shop.authorized(5_00), await shop.authorized(200011)]
  for (const payment of [authorized, failed])
    expect(await payment.refund()).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  expect((await shop.payment(crypto.randomUUID()).refund()).status).toBe(404)
})

test('a payment captured in part can be refunded up to the captured amount', async () => {
  const payment = await shop.authorized(100_00)
  await payment.capture({ amount: 30_00, final: false })
  expect(await payment.refund({ amount: 30_01 })).toMatchObject(invalidFields('/amount'))
  expect((await payment.refund()).body.amount).toBe(30_00)
  await payment.capture({ amount: 20_00 })
  expect((await payment.refund()).body.amount).toBe(20_00)
  expect(await payment.read()).toMatchObject({ captured_amount: 50_00, refunded_amount: 50_00 })
})

test('refunding everything refunds what is left and answers a list, with or without a body', async () => {
  const payment = await shop.sold(10_00)
  await payment.refund({ amount: 4_00 })
  expect(await payment.refundAll()).toMatchObject({
    status: 201,
    body: { items: [{ type: 'refund', amount: 6_00, status: 'succeeded' }] },
  })
  expect((await payment.refundAll()).status).toBe(400)
  const another = await shop.sold(10_00)
  expect((await another.refundAll({ reason: 'Closed down' })).body.items).toMatchObject([
    { amount: 10_00, reason: 'Closed down' },
  ])
})

test('a refund is found by its id and under its transaction, and under no other transaction', async () => {
  const [payment, other] = [await shop.sold(5_00), await shop.sold(5_00)]
  const { body: refund } = await payment.refund()
  expect((await shop.get(`/refunds/${refund.id}`)).body).toEqual(refund)
  expect((await shop.get(`/transactions/${payment.id}/refunds/${refund.id}`)).body).toEqual(refund)
  expect((await shop.get(`/transactions/${other.id}/refunds/${refund.id}`)).status).toBe(404)
  expect((await shop.get(`/refunds/${payment.id}`)).status).toBe(404)
})

test.each([
  [{ amount: 0 }, 400],
  [{ amount: -1 }, 422],
  [{ amount: 1.5 }, 422],
  [{ reason: 'x'.repeat(101) }, 422],
  [{ external_identifier: '' }, 422],
  [{ surprise: true }, 422],
  [{ target_type: 'gift-card-redemption', target_id: '11111111-1111-4111-8111-111111111111' }, 400],
  [{ target_type: 'gift-card-redemption' }, 400],
])('a refund of %o is refused with %i', async (body, status) => {
  const payment = await shop.sold(5_00)
  expect((await payment.refund(body)).status).toBe(status)
  expect((await payment.read()).refunded_amount).toBe(0)
})
