import { describe, expect, test } from 'vitest'
import { startBnplShop } from '../../../test/support/domains/bnpl.ts'
import { injectFaults } from '../../../test/support/provider.ts'
import type { Payment } from '../../../test/support/shop.ts'

const { railyard, shop, wire } = await startBnplShop()

async function paid(amount: number, more: Record<string, unknown> = {}): Promise<Payment> {
  const { status, body } = await shop.buyExpress(amount, await shop.pressExpress(amount), more)
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { status: more['intent'] ? 'capture_succeeded' : 'authorization_succeeded' },
  })
  return shop.payment(body.id)
}

/** The order in the provider's books. */
async function orderOf(payment: Payment): Promise<Record<string, unknown>> {
  const { payment_service_transaction_id: id } = await payment.read()
  const headers = { authorization: `Basic ${Buffer.from('K123_test:sharedSecret').toString('base64')}` }
  const answer = await fetch(
    `${railyard.simulatorUrl}/bnpl/${shop.serviceId}/ordermanagement/v1/orders/${id}`,
    { headers },
  )
  return (await answer.json()) as Record<string, unknown>
}

test('captures an authorized payment in full', async () => {
  const payment = await paid(90_00)
  expect(await payment.capture()).toMatchObject({
    status: 200,
    body: { status: 'capture_succeeded', captured_amount: 90_00 },
  })
  expect(await orderOf(payment)).toMatchObject({
    status: 'CAPTURED',
    captured_amount: 90_00,
    remaining_authorized_amount: 0,
  })
})

test('a partial capture releases the rest to the buyer', async () => {
  const payment = await paid(91_00)
  expect(await payment.capture({ amount: 40_00 })).toMatchObject({
    status: 200,
    body: { status: 'capture_succeeded', captured_amount: 40_00 },
  })
  expect(await orderOf(payment)).toMatchObject({ captured_amount: 40_00, remaining_authorized_amount: 0 })
  expect(await payment.capture({ amount: 1 })).toMatchObject({ status: 400 })
})

test('captures in parts keep the rest until the final one, and a refund can be of all of them', async () => {
  const payment = await paid(96_00)
  await payment.capture({ amount: 40_00, final: false })
  await payment.capture({ amount: 20_00, final: false })
  expect(await orderOf(payment)).toMatchObject({
    status: 'PART_CAPTURED',
    captured_amount: 60_00,
    remaining_authorized_amount: 36_00,
  })
  await payment.capture({ amount: 10_00 })
  expect(await orderOf(payment)).toMatchObject({ captured_amount: 70_00, remaining_authorized_amount: 0 })
  expect(await payment.refund({ amount: 65_00 })).toMatchObject({ body: { status: 'succeeded' } })
})

test('a partial capture succeeds even if the rest cannot be released', async () => {
  const payment = await paid(92_00)
  await injectFaults(
    railyard,
    { operation: 'capture', kind: 'delay', delay_ms: 0, times: 1 },
    { operation: 'capture', kind: 'reset' },
  )
  const { body } = await payment.capture({ amount: 40_00 })
  await injectFaults(railyard)
  expect(body).toMatchObject({ status: 'capture_succeeded', captured_amount: 40_00 })
  expect(await orderOf(payment)).toMatchObject({ remaining_authorized_amount: 52_00 })
})

test('refuses unsupported operations and sends nothing', async () => {
  const payment = await paid(93_00)
  const calls = wire.calls
  expect(await payment.capture({ amount: 93_01 })).toMatchObject({
    status: 400,
    body: { details: [{ pointer: '/amount' }] },
  })
  expect(await payment.increment(1_00)).toMatchObject({ status: 400 })
  expect(await payment.cancel()).toMatchObject({ status: 400 })
  expect(wire.calls).toBe(calls)
})

test('a void cancels the whole order', async () => {
  const payment = await paid(94_00)
  expect(await payment.void()).toMatchObject({ status: 200, body: { status: 'authorization_voided' } })
  expect(await orderOf(payment)).toMatchObject({ status: 'CANCELLED' })
  expect(await payment.capture()).toMatchObject({ status: 400 })
})

test('refunds never exceed the captured amount', async () => {
  const payment = await paid(95_00, { intent: 'capture' })
  expect(await payment.refund({ amount: 30_00 })).toMatchObject({
    status: 201,
    body: { status: 'succeeded', amount: 30_00 },
  })
  expect(await payment.refund({ amount: 65_01 })).toMatchObject({ status: 400 })
  expect(await payment.refund()).toMatchObject({ status: 201, body: { status: 'succeeded', amount: 65_00 } })
  expect(await orderOf(payment)).toMatchObject({
    refunded_amount: 95_00,
    refunds: [{ refunded_amount: 30_00 }, { refunded_amount: 65_00 }],
  })
})

test('two concurrent refunds of one amount are two refunds', async () => {
  const payment = await paid(96_00, { intent: 'capture' })
  const answers = await Promise.all([payment.refund({ amount: 20_00 }), payment.refund({ amount: 20_00 })])
  expect(answers.map(({ body }) => body.status)).toEqual(['succeeded', 'succeeded'])
  expect(new Set(answers.map(({ body }) => body.payment_service_refund_id)).size).toBe(2)
  expect((await payment.read()).refunded_amount).toBe(40_00)
})

test('capturing an expired authorization fails with the reason', async () => {
  const payment = await paid(97_00)
  railyard.clock.advance(29 * 24 * 3_600_000)
  const { body } = await payment.capture()
  expect(body).toMatchObject({ status: 'authorization_succeeded', captured_amount: 0 })
  expect(await payment.captures()).toMatchObject([
    { status: 'declined', error_code: 'expired_authorization' },
  ])
})

describe('an operation that is pending at the provider', () => {
  test('a sync finds the decision on an order’s risk', async () => {
    const { body } = await shop.buyExpress(540001, await shop.pressExpress(540001))
    expect(body).toMatchObject({ status: 'processing', authorized_amount: 0, raw_response_code: 'PENDING' })
    expect(await shop.payment(body.id).sync()).toMatchObject({
      body: { status: 'authorization_succeeded', authorized_amount: 540001 },
    })
  })

  test('a sync finds the decision on the risk of a sale', async () => {
    const { body } = await shop.buyExpress(540001, await shop.pressExpress(540001), { intent: 'capture' })
    expect(body.status).toBe('capture_pending')
    expect(await shop.payment(body.id).sync()).toMatchObject({
      body: { status: 'capture_succeeded', captured_amount: 540001 },
    })
  })

  test('an order whose risk is undecided can be cancelled', async () => {
    const { body } = await shop.buyExpress(540001, await shop.pressExpress(540001))
    expect(await shop.payment(body.id).cancel()).toMatchObject({ status: 200, body: { status: 'succeeded' } })
    expect(await shop.payment(body.id).read()).toMatchObject({
      status: 'authorization_failed',
      error_code: 'canceled',
    })
  })

  test('a sync finds the outcome of a capture, a void and a refund', async () => {
    const [captured, voided, sold] = [
      await paid(500003),
      await paid(510003),
      await paid(520005, { intent: 'capture' }),
    ]
    expect((await captured.capture()).body.status).toBe('capture_pending')
    expect((await voided.void()).body.status).toBe('authorization_void_pending')
    expect((await sold.refund()).body.status).toBe('processing')
    for (const payment of [captured, voided, sold]) await payment.sync()
    expect((await captured.read()).status).toBe('capture_succeeded')
    expect((await voided.read()).status).toBe('authorization_voided')
    expect((await sold.read()).refunded_amount).toBe(520005)
  })
})
