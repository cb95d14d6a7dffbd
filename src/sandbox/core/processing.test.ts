import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { cardNumber, openSimulator, simulatorClient } from './simulator-client.fixture.ts'

test('a repeated key gets the same answer and moves money once', async () => {
  const provider = await openSimulator()
  const payment = await provider.sale(100_00)
  const key = randomUUID()
  const first = await provider.refund(payment, 60_00, key)
  const second = await provider.refund(payment, 60_00, key)
  expect([first.status, second.status]).toEqual([201, 200])
  expect(second.body).toEqual(first.body)
  expect(await provider.payment(payment)).toMatchObject({ refunded: 60_00 })
  expect((await provider.books()).attempts[key]).toBe(2)
})

test('a repeated key gets the same decline', async () => {
  const provider = await openSimulator()
  const key = randomUUID()
  const first = await provider.pay({ amount: 200011 }, key)
  expect(await provider.pay({ amount: 200011 }, key)).toEqual({ status: 200, body: first.body })
})

test('a hundred concurrent requests with one key make one payment', async () => {
  const provider = await openSimulator()
  const key = randomUUID()
  const answers = await Promise.all(Array.from({ length: 100 }, () => provider.pay({ amount: 100 }, key)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(new Set(answers.map(({ body }) => body.payment_id)).size).toBe(1)
  expect((await provider.books()).payments).toHaveLength(1)
})

test('a key with any other body is refused', async () => {
  const provider = await openSimulator()
  const key = randomUUID()
  await provider.pay({ amount: 100 }, key)
  const other = { number: '4242424242424242', expiration_date: '12/35', security_code: '123' }
  for (const answer of [
    await provider.pay({ amount: 101 }, key),
    await provider.pay({ amount: 100, card: other }, key),
    await provider.refund('pay_x', 100, key),
    await simulatorClient(provider.url).pay({ amount: 100 }, key),
  ])
    expect(answer).toMatchObject({ status: 409, body: { code: 'key_reused' } })
})

test('the order of members does not make another body', async () => {
  const provider = await openSimulator()
  const key = randomUUID()
  const card = { number: cardNumber, expiration_date: '12/35', security_code: '123' }
  const turned = { security_code: '123', expiration_date: '12/35', number: cardNumber }
  await provider.post('/payments', { kind: 'sale', amount: 5, currency: 'EUR', card }, key)
  expect(
    (await provider.post('/payments', { card: turned, currency: 'EUR', amount: 5, kind: 'sale' }, key))
      .status,
  ).toBe(200)
})

test('an operation is found by its key, and only by the payment service that sent it', async () => {
  const provider = await openSimulator()
  const key = randomUUID()
  expect(await provider.find(key)).toMatchObject({ status: 404, body: { code: 'unknown_operation' } })
  const { body } = await provider.pay({ amount: 100 }, key)
  expect(await provider.find(key)).toEqual({ status: 200, body })
  const stranger = simulatorClient(provider.url)
  expect((await stranger.find(key)).status).toBe(404)
  expect((await stranger.close(key)).status).toBe(404)
  expect((await stranger.refund(body.payment_id ?? '', 1)).body.code).toBe('unknown_payment')
})

test('closing a processed key returns its result', async () => {
  const provider = await openSimulator()
  const key = randomUUID()
  const { body } = await provider.pay({ amount: 100 }, key)
  expect(await provider.close(key)).toEqual({ status: 200, body })
})

test('a closed key is never processed, and can be closed twice', async () => {
  const provider = await openSimulator()
  const key = randomUUID()
  for (const _ of [1, 2])
    expect(await provider.close(key)).toEqual({ status: 200, body: { key, status: 'closed' } })
  expect(await provider.pay({ amount: 100 }, key)).toMatchObject({ status: 410, body: { code: 'closed' } })
  expect(await provider.books()).toMatchObject({ operations: [], payments: [], attempts: {}, closed: [key] })
  expect((await provider.booked(key)).body).toEqual({ key, status: 'closed', attempts: 0 })
})

test('a delayed request is in progress, and closing its key prevents it', async () => {
  const provider = await openSimulator()
  await provider.setFaults({ operation: 'authorize', kind: 'delay', delay_ms: 150 })
  const key = randomUUID()
  const held = provider.pay({ amount: 100 }, key)
  await pause(50)
  expect(await provider.find(key)).toMatchObject({ status: 409, body: { code: 'in_progress' } })
  expect((await provider.close(key)).body.status).toBe('closed')
  expect(await held).toMatchObject({ status: 410, body: { code: 'closed' } })
  expect((await provider.books()).payments).toEqual([])
})

test('a wrong request gets the problem without its card number', async () => {
  const provider = await openSimulator()
  const wrong: [Promise<{ status: number; body: string }>, string][] = [
    [provider.text('POST', '/payments', {}), 'idempotency-key'],
    [provider.text('POST', '/payments', {}, 'not-a-uuid'), 'idempotency-key'],
    [
      provider.text(
        'POST',
        '/payments',
        { kind: 'sale', amount: 1.5, currency: 'EUR', reference_payment_id: 'x' },
        randomUUID(),
      ),
      '/amount',
    ],
    [provider.text('POST', '/payments', { kind: 'sale', amount: 1, currency: 'EUR' }, randomUUID()), 'card'],
    [
      provider.text(
        'POST',
        '/payments',
        { kind: 'sale', amount: 1, currency: 'EUR', card: { number: `${cardNumber}x` } },
        randomUUID(),
      ),
      'card',
    ],
    [provider.text('POST', '/payments/pay_x/captures', { amount: 1 }, randomUUID()), 'final'],
    [provider.text('POST', '/payments/pay_x/refunds', { amount: 0 }, randomUUID()), '/amount'],
  ]
  for (const [answer, named] of wrong) {
    const { status, body } = await answer
    expect(status).toBe(400)
    expect(body).toContain(named)
    expect(body).not.toContain(cardNumber)
  }
  const broken = await fetch(`${provider.url}/card/x/payments`, {
    method: 'POST',
    body: `{"number": "${cardNumber}", `,
  })
  expect(broken.status).toBe(400)
  expect(await broken.text()).not.toContain(cardNumber)
})

test('an unknown payment and an unknown path are not found', async () => {
  const provider = await openSimulator()
  expect(await provider.capture('pay_x', 100)).toMatchObject({
    status: 404,
    body: { code: 'unknown_payment' },
  })
  expect(await provider.pay({ amount: 1, card: undefined, reference_payment_id: 'pay_x' })).toMatchObject({
    status: 404,
    body: { code: 'unknown_payment' },
  })
  for (const path of ['/payments/pay_x/constructor', '/nothing', '/payments/pay_x'])
    expect((await provider.post(path, {})).status).toBe(404)
})

test('an invalid merchant is refused everywhere', async () => {
  const provider = await openSimulator()
  const stranger = simulatorClient(provider.url, provider.service, 'invalid')
  for (const answer of [
    await stranger.account(),
    await stranger.pay({ amount: 1 }),
    await stranger.find(randomUUID()),
    await stranger.session({}),
  ])
    expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_service_credentials' } })
  expect(await provider.account()).toEqual({ status: 200, body: { merchant_id: 'merchant-1' } })
})

test('a session repeats the request, except the card', async () => {
  const provider = await openSimulator()
  const { status, body } = await provider.session({
    amount: 100,
    currency: 'EUR',
    card: { number: cardNumber },
  })
  expect(status).toBe(200)
  expect(body).toEqual({
    amount: 100,
    currency: 'EUR',
    session_id: expect.any(String),
    client_id: expect.any(String),
  })
})
