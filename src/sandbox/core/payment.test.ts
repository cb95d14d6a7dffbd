import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { days, frozenClock, openSimulator, simulatorClient } from './simulator-client.fixture.ts'

test('of two refunds that together exceed the capture one succeeds, and the other fails with the reason', async () => {
  const provider = await openSimulator()
  const payment = await provider.sale(100_00)
  const answers = await Promise.all([provider.refund(payment, 60_00), provider.refund(payment, 60_00)])
  expect(answers.map(({ body }) => body.status).sort()).toEqual(['approved', 'declined'])
  expect(answers.map(({ body }) => body.code)).toContain('invalid_amount')
  expect(await provider.payment(payment)).toMatchObject({ captured: 100_00, refunded: 60_00 })
})

test('the amount of a pending refund cannot be refunded again', async () => {
  const provider = await openSimulator()
  const payment = await provider.sale(520005)
  expect((await provider.refund(payment, 520005)).body.status).toBe('pending')
  expect((await provider.refund(payment, 1)).body).toMatchObject({
    status: 'declined',
    code: 'invalid_amount',
  })
  expect(await provider.payment(payment)).toMatchObject({ refunded: 0, pending: { refund: 520005 } })
})

test('captures add up to at most twice the authorized amount', async () => {
  const provider = await openSimulator()
  const payment = await provider.authorize(100)
  expect((await provider.capture(payment, 150, false)).body.status).toBe('approved')
  expect((await provider.capture(payment, 51, false)).body).toMatchObject({
    status: 'declined',
    code: 'invalid_amount',
  })
  expect((await provider.capture(payment, 50, false)).body.status).toBe('approved')
  expect((await provider.capture(payment, 1, false)).body.status).toBe('declined')
  expect(await provider.payment(payment)).toMatchObject({ authorized: 100, captured: 200 })
})

test('an increment can be captured', async () => {
  const provider = await openSimulator()
  const payment = await provider.authorize(100)
  await provider.increment(payment, 50)
  expect((await provider.capture(payment, 300)).body.status).toBe('approved')
  expect(await provider.payment(payment)).toMatchObject({ authorized: 150, captured: 300, final: true })
})

test('nothing is captured after the final capture', async () => {
  const provider = await openSimulator()
  const payment = await provider.authorize(100)
  await provider.capture(payment, 10)
  expect((await provider.capture(payment, 10)).body).toMatchObject({
    status: 'declined',
    code: 'unexpected_state',
  })
  expect((await provider.increment(payment, 10)).body.code).toBe('unexpected_state')
})

test('a declined final capture leaves the authorization open', async () => {
  const provider = await openSimulator()
  const payment = await provider.authorize(500002)
  expect((await provider.capture(payment, 500002)).body.status).toBe('declined')
  expect((await provider.capture(payment, 500000)).body.status).toBe('approved')
})

test('a voided payment cannot be captured, and a captured one cannot be voided', async () => {
  const provider = await openSimulator()
  const voided = await provider.authorize(100)
  expect((await provider.void(voided)).body).toMatchObject({ status: 'approved', amount: 100 })
  for (const answer of [
    await provider.capture(voided, 1),
    await provider.void(voided),
    await provider.increment(voided, 1),
    await provider.refund(voided, 1),
  ])
    expect(answer.body).toMatchObject({ status: 'declined', code: 'unexpected_state' })
  expect(await provider.payment(voided)).toMatchObject({ voided: true, captured: 0 })

  const captured = await provider.authorize(100)
  await provider.capture(captured, 1, false)
  expect((await provider.void(captured)).body.code).toBe('unexpected_state')
  expect((await provider.void(await provider.sale(100))).body.code).toBe('unexpected_state')
})

test('of a concurrent capture and void one succeeds', async () => {
  const provider = await openSimulator()
  const payment = await provider.authorize(510003)
  expect((await provider.void(payment)).body.status).toBe('pending')
  expect((await provider.capture(payment, 1)).body.code).toBe('unexpected_state')
})

test('only a pending authorization can be cancelled, and then it has failed', async () => {
  const provider = await openSimulator()
  const { body } = await provider.pay({ amount: 540001 })
  const payment = body.payment_id ?? ''
  expect((await provider.capture(payment, 1)).body.code).toBe('unexpected_state')
  expect((await provider.void(payment)).body.code).toBe('unexpected_state')
  expect((await provider.cancel(payment)).body).toMatchObject({
    kind: 'cancel',
    status: 'approved',
    amount: 540001,
  })
  expect((await provider.find(body.key ?? '')).body).toMatchObject({
    status: 'failed',
    code: 'canceled',
    raw_response_code: 'canceled',
  })
  expect(await provider.payment(payment)).toMatchObject({
    authorization: 'failed',
    authorized: 0,
    pending: {},
  })
  expect((await provider.cancel(payment)).body.code).toBe('unexpected_state')
  expect((await provider.cancel(await provider.authorize(100))).body.code).toBe('unexpected_state')
})

test('an authorization expires after seven days', async () => {
  const clock = frozenClock()
  const provider = await openSimulator({ clock })
  const { body } = await provider.pay({ amount: 100 })
  const payment = body.payment_id ?? ''
  expect(body.authorization_expires_at).toBe('2030-01-08T00:00:00.000Z')
  clock.forward(days(7))
  expect((await provider.capture(payment, 10, false)).body.status).toBe('approved')
  clock.forward(1)
  expect((await provider.capture(payment, 10)).body).toMatchObject({
    status: 'declined',
    code: 'expired_authorization',
  })
  expect(await provider.payment(payment)).toMatchObject({ captured: 10 })
})

test('a payment can use the card of an earlier payment of the same payment service only', async () => {
  const provider = await openSimulator()
  const earlier = await provider.authorize(100)
  const again = { amount: 200, card: undefined, reference_payment_id: earlier }
  const { body } = await provider.pay(again)
  expect(body).toMatchObject({ status: 'approved', amount: 200, cvv_response_code: 'not_provided' })
  expect(await provider.payment(body.payment_id ?? '')).toMatchObject({
    authorized: 200,
    card: { bin: '411111', last4: '1111' },
  })
  expect((await simulatorClient(provider.url).pay(again)).status).toBe(404)
})

test('a declined payment can be neither captured nor refunded', async () => {
  const provider = await openSimulator()
  const payment = await provider.authorize(200011)
  for (const answer of [
    await provider.capture(payment, 1),
    await provider.refund(payment, 1),
    await provider.void(payment),
  ])
    expect(answer.body).toMatchObject({ status: 'declined', code: 'unexpected_state' })
})

test('an approved payment carries a scheme transaction id that no scanner takes for a card number', async () => {
  const provider = await openSimulator()
  expect((await provider.pay({ amount: 100 })).body.scheme_transaction_id).toMatch(/^[A-P]{15}$/)
})

test('a payout is made once under its key, and cannot be captured, voided, cancelled or refunded', async () => {
  const provider = await openSimulator()
  const key = randomUUID()
  const [first, again] = [await provider.payout(100, key), await provider.payout(100, key)]
  expect([first.status, again.status]).toEqual([201, 200])
  expect(again.body).toEqual(first.body)
  const payout = first.body.payment_id ?? ''
  const later = [
    provider.capture(payout, 1),
    provider.void(payout),
    provider.cancel(payout),
    provider.increment(payout, 1),
    provider.refund(payout, 1),
  ]
  for (const { body } of await Promise.all(later))
    expect(body).toMatchObject({ status: 'declined', code: 'unexpected_state' })
  expect(await provider.payment(payout)).toMatchObject({
    paid_out: 100,
    authorized: 0,
    captured: 0,
    refunded: 0,
    card: { bin: '411111', last4: '1111' },
  })
})
