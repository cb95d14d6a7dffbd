import { afterEach, expect, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../../test/support/domains/gift-cards.ts'
import { booksOf, injectFaults, recoverFully } from '../../test/support/provider.ts'
import { type Answer, card } from '../../test/support/railyard.ts'
import { addService, openShop } from '../../test/support/shop.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { timeOf } from '../base/clock.ts'
import { intendPayment } from '../operations/journal/intend-payment.ts'
import { newOperation, type OperationRow } from '../operations/operation.ts'
import { deleteOldIdempotencyKeys } from '../operations/retention.ts'
import type { TransactionRow } from './transaction.row.ts'

const DAY_MS = 86_400_000

const { railyard, shop } = await startShop()
afterEach(() => injectFaults(railyard))

const withKey = () => ({ 'idempotency-key': crypto.randomUUID() })
const authorization = () => ({
  authorization: `Bearer ${shop.token}`,
  'x-svc-merchant-account-id': shop.account,
  'content-type': 'application/json',
})
/** The answer as bytes arrive. */
const postForText = async (path: string, body: unknown, headers: Record<string, string>) => {
  const answer = await fetch(`${railyard.url}${path}`, {
    method: 'POST',
    headers: { ...authorization(), ...headers },
    body: JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}
const sentOf = async (amount: number) =>
  (await booksOf(railyard)).operations.filter((operation) => operation.amount === amount)

test.each([
  ['an approval', 11_11],
  ['a decline', 200011],
  ['a failure', 300004],
  ['a pending payment', 540001],
])(
  'a replay of %s gets the same answer byte for byte, and the payment service gets one request',
  async (_what, amount) => {
    const headers = withKey()
    const body = { amount, currency: 'EUR', payment_method: card, intent: 'authorize' }
    const first = await postForText('/transactions', body, headers)
    const again = await postForText('/transactions', body, headers)
    expect(first.status).toBe(201)
    expect(again).toEqual(first)
    expect(await sentOf(amount)).toHaveLength(1)
  },
)

test('a replay gets the first answer, even after the payment has changed', async () => {
  const headers = withKey()
  const first = await shop.pay(12_12, {}, headers)
  await shop.payment(first.body.id).capture()
  expect((await shop.pay(12_12, {}, headers)).body).toEqual(first.body)
})

test('a process that is slower than recovery answers what recovery stored, and so does every replay', async () => {
  await addGiftCardService(railyard, shop)
  const headers = withKey()
  const body = {
    amount: 22_13,
    currency: 'EUR',
    payment_method: card,
    gift_cards: [{ ...newGiftCard(), amount: 10_00 }],
  }
  const { http } = railyard.world
  const arrived = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  // the payment service answers, and the process stops before it reads the answer
  railyard.world.http = {
    ...http,
    async request(request) {
      const answer = await http.request(request)
      railyard.world.http = http
      arrived.resolve()
      await goOn.promise
      return answer
    },
  }
  const slow = postForText('/transactions', body, headers)
  await arrived.promise
  await recoverFully(railyard)
  goOn.resolve()
  const first = await slow
  expect(first.status).toBe(201)
  expect(await postForText('/transactions', body, headers)).toEqual(first)
  expect((await shop.payment(JSON.parse(first.text).id).read()).status).toBe('authorization_succeeded')
})

test('another body under the same key is refused, and the error names the first payment', async () => {
  const headers = withKey()
  const first = await shop.pay(13_13, {}, headers)
  expect(await shop.pay(13_14, {}, headers)).toMatchObject({
    status: 409,
    body: { code: 'duplicate_record', resource_id: first.body.id },
  })
  expect(await sentOf(13_14)).toEqual([])
})

test('another body for a refund under the same key is refused, and the error names the first refund', async () => {
  const payment = await shop.sold(13_15)
  const headers = withKey()
  const first = await payment.refund({ amount: 1_00 }, headers)
  expect(await payment.refund({ amount: 2_00 }, headers)).toMatchObject({
    status: 409,
    body: { resource_id: first.body.id },
  })
  expect((await payment.read()).refunded_amount).toBe(1_00)
})

test('a key belongs to one merchant account and one path', async () => {
  const headers = withKey()
  const other = await openShop(railyard)
  const [one, two] = [await shop.pay(14_14, {}, headers), await other.pay(14_14, {}, headers)]
  expect(two.body.id).not.toBe(one.body.id)
  expect((await shop.payment(one.body.id).capture({}, headers)).body.status).toBe('capture_succeeded')
  expect((await shop.payment(one.body.id).refund({}, headers)).body.type).toBe('refund')
})

test('without a key, two equal requests are two payments', async () => {
  expect((await shop.pay(15_15)).body.id).not.toBe((await shop.pay(15_15)).body.id)
})

test('a request that failed its validation leaves its key free', async () => {
  const headers = withKey()
  expect((await shop.pay(16_16, { currency: 'XYZ' }, headers)).status).toBe(400)
  expect(
    (await shop.pay(16_16, { payment_method: { ...card, number: '4111111111111112' } }, headers)).status,
  ).toBe(400)
  expect((await shop.pay(16_16, { colour: 'red' }, headers)).status).toBe(422)
  expect((await shop.pay(16_16, {}, headers)).status).toBe(201)
})

test('a key of less than 1 or more than 255 characters is a 400 that names the header', async () => {
  const details = [
    { location: 'header', pointer: 'idempotency-key', message: 'must have 1 to 255 characters' },
  ]
  for (const key of ['', 'x'.repeat(256)])
    expect(await shop.pay(1_00, {}, { 'idempotency-key': key })).toMatchObject({
      status: 400,
      body: { code: 'bad_request', details },
    })
  expect((await shop.pay(1_00, {}, { 'idempotency-key': 'x'.repeat(255) })).status).toBe(201)
})

test('a hundred concurrent requests under one key make one payment, one call and one answer', async () => {
  const headers = withKey()
  const body = { amount: 17_17, currency: 'EUR', payment_method: card }
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => postForText('/transactions', body, headers)),
  )
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]))
  const [booked, ...more] = await sentOf(17_17)
  expect(more).toEqual([])
  expect((await booksOf(railyard)).attempts[booked?.key ?? '']).toBe(1)
  expect((await shop.get('/transactions?amount_eq=1717')).body.items).toHaveLength(1)
})

test('captures, voids, increments and refunds are executed once for each key', async () => {
  const [captured, voided, incremented] = [
    await shop.authorized(18_00),
    await shop.authorized(18_01),
    await shop.authorized(18_02),
  ]
  const once = async (action: (headers: Record<string, string>) => Promise<Answer>) => {
    const headers = withKey()
    const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => action(headers)))
    expect(first?.status).toBeLessThan(300)
    for (const other of others) expect([other.status, other.body]).toEqual([first?.status, first?.body])
  }
  await once((headers) => captured.capture({ amount: 9_00 }, headers))
  await once((headers) => voided.void(headers))
  await once((headers) => incremented.increment(5, headers))
  await once((headers) => captured.refund({ amount: 1_00 }, headers))
  await once((headers) => shop.post(`/transactions/${captured.id}/refunds/all`, undefined, headers))
  expect(await captured.read()).toMatchObject({ captured_amount: 9_00, refunded_amount: 9_00 })
  expect((await incremented.read()).authorized_amount).toBe(18_07)
})

test('a replay gets the representation that the first request preferred', async () => {
  const payment = await shop.authorized(19_00)
  const headers = withKey()
  const first = await payment.capture({}, { ...headers, prefer: 'resource=transaction-capture' })
  expect(first.body.type).toBe('transaction-capture')
  expect((await payment.capture({}, headers)).body).toEqual(first.body)
})

test('a refused capture leaves its key free for a capture that is possible later', async () => {
  const payment = await shop.authorized(540001)
  const headers = withKey()
  expect((await payment.capture({}, headers)).status).toBe(425)
  await payment.sync()
  expect((await payment.capture({}, headers)).body.status).toBe('capture_succeeded')
})

test('a replay of a payment that was retried at a second payment service gets the final answer', async () => {
  const merchant = await openShop(railyard)
  await addService(railyard, merchant)
  await injectFaults(railyard, {
    operation: 'authorize',
    kind: 'error',
    payment_service_id: merchant.paymentServiceId,
    times: 1,
  })
  const headers = withKey()
  const [first, again] = [await merchant.pay(300013, {}, headers), await merchant.pay(300013, {}, headers)]
  expect(again.body).toEqual(first.body)
  await recoverFully(railyard)
})

test('when a process dies between intent and outcome, recovery decides the payment and a replay gets that answer', async () => {
  const { world } = railyard
  const template = await shop.authorized(20_20)
  const [row] = await world.run<{ t: TransactionRow; o: OperationRow }>(
    'select row_to_json(t) as t, row_to_json(o) as o from transactions t join operations o using (merchant_account_id) where t.id = $1 and o.transaction_id = $1',
    [template.id],
  )
  const now = timeOf(world.clock)
  const id = world.ids.next()
  const operation = newOperation(
    {
      merchant_account_id: shop.account,
      id: world.ids.next(),
      transaction_id: id,
      kind: 'authorize',
      amount: 20_20,
      currency: 'EUR',
      payment_service_id: shop.paymentServiceId,
      check_at: now,
      created_at: now,
    },
    { idempotency_scope: 'POST /transactions', idempotency_key: 'died' },
  )
  const transaction = {
    ...row?.t,
    merchant_account_id: shop.account,
    id,
    status: 'processing',
    intent_outcome: 'pending',
    authorized_amount: 0,
    payment_service_transaction_id: null,
    authorized_at: null,
    active_operation_id: operation.id,
  }
  const body = { amount: 20_20, currency: 'EUR', payment_method: card }
  const claim = {
    scope: 'POST /transactions',
    key: 'died',
    representation: 'created-transaction',
    fingerprint: world.cipher.mac('request-fingerprint', JSON.stringify(body)),
  }
  await intendPayment(world, { transaction, operations: [operation], timeline: [], events: [], claim })
  await recoverFully(railyard)
  const answer = await shop.pay(20_20, {}, { 'idempotency-key': 'died' })
  expect(answer).toMatchObject({
    status: 201,
    body: { id, status: 'authorization_failed', error_code: 'service_network_error' },
  })
  expect(await sentOf(20_20)).toHaveLength(1)
})

test('while the outcome is unknown, a replay gets the first answer and sends nothing', async () => {
  const headers = withKey()
  await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
  const first = await shop.pay(21_21, {}, headers)
  expect(first.body.status).toBe('processing')
  expect((await shop.pay(21_21, {}, headers)).body).toEqual(first.body)
  await recoverFully(railyard)
  expect((await shop.pay(21_21, {}, headers)).body).toEqual(first.body)
  expect((await shop.payment(first.body.id).read()).status).toBe('authorization_succeeded')
  expect(await sentOf(21_21)).toHaveLength(1)
})

test('a replay gets the first answer even when the request would be too late by now', async () => {
  const headers = withKey()
  const more = { approval_expires_at: new Date(railyard.clock.now() + 60_000).toISOString() }
  const first = await shop.pay(22_22, more, headers)
  railyard.clock.advance(120_000)
  expect(await shop.pay(22_22, more, headers)).toMatchObject({ status: 201, body: first.body })
  expect((await shop.pay(22_22, more, withKey())).status).toBe(400)
})

test('a key is good for 31 days, and free after that', async () => {
  const headers = withKey()
  const first = await shop.pay(23_23, {}, headers)
  railyard.clock.advance(30 * DAY_MS)
  await deleteOldIdempotencyKeys(railyard.world)
  expect((await shop.pay(23_23, {}, headers)).body).toEqual(first.body)
  railyard.clock.advance(2 * DAY_MS)
  await deleteOldIdempotencyKeys(railyard.world)
  expect((await shop.pay(23_23, {}, headers)).body.id).not.toBe(first.body.id)
})

test('old keys are deleted, however many there are', async () => {
  const { world } = railyard
  await world.run(
    `insert into idempotency_keys (merchant_account_id, scope, key, fingerprint, resource_id, representation, created_at)
     select 'm-many', 'POST /transactions', n::text, '', gen_random_uuid(), 'transaction', $1::timestamptz from generate_series(1, 20001) n`,
    [new Date(world.clock.now() - 40 * DAY_MS).toISOString()],
  )
  await deleteOldIdempotencyKeys(world)
  expect(
    await world.run('select key from idempotency_keys where merchant_account_id = $1', ['m-many']),
  ).toEqual([])
})
