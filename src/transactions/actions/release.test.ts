import { expect, test } from 'vitest'
import { booksOf } from '../../../test/support/provider.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop()

test('a void releases the whole authorization and sets voided_at', async () => {
  const payment = await shop.authorized(30_00)
  const answer = await payment.void()
  expect(answer).toMatchObject({
    status: 200,
    body: {
      type: 'transaction',
      status: 'authorization_voided',
      authorized_amount: 30_00,
      captured_amount: 0,
    },
  })
  expect(answer.body.voided_at).not.toBeNull()
  expect(answer.body.intent_outcome).toBe('succeeded')
})

test('a voided payment cannot be captured, voided, incremented, refunded or cancelled', async () => {
  const payment = await shop.authorized(30_00)
  await payment.void()
  const answers = [
    await payment.capture(),
    await payment.void(),
    await payment.increment(1_00),
    await payment.refund(),
    await payment.cancel(),
  ]
  expect(answers.map((answer) => answer.status)).toEqual([400, 400, 400, 400, 400])
})

test.each([
  [510001, 'failed', 'service_network_error'],
  [510002, 'declined', 'issuer_decline'],
])('a void of %i is %s: the authorization stands', async (amount, status, code) => {
  const payment = await shop.authorized(amount)
  expect(await payment.void({ prefer: 'resource=transaction-void' })).toMatchObject({
    status: 200,
    body: {
      type: 'transaction-void',
      status,
      code,
      raw_response_code: code,
      transaction: { id: payment.id, status: 'authorization_succeeded', voided_at: null },
    },
  })
  expect(await payment.timeline()).toContain(`payment-connector-response-transaction-void-${status}`)
  expect((await payment.capture()).body).toMatchObject({
    status: 'capture_succeeded',
    captured_amount: amount,
  })
})

test('a void that the payment service has not decided is pending, blocks every other action, and is final after a sync', async () => {
  const payment = await shop.authorized(510003)
  expect((await payment.void()).body).toMatchObject({ status: 'authorization_void_pending', voided_at: null })
  const answers = [await payment.capture(), await payment.void(), await payment.increment(1_00)]
  expect(answers.map((answer) => answer.status)).toEqual([400, 400, 400])
  expect((await payment.sync()).body.status).toBe('authorization_voided')
})

test('a captured payment cannot be voided', async () => {
  const [sold, partly] = [await shop.sold(5_00), await shop.authorized(5_00)]
  await partly.capture({ amount: 1_00, final: false })
  expect((await sold.void()).status).toBe(400)
  expect((await partly.void()).status).toBe(400)
})

test('a payment that is pending at the payment service can be cancelled', async () => {
  const payment = await shop.authorized(540001)
  expect((await payment.read()).status).toBe('processing')
  const answer = await payment.cancel()
  expect(answer).toMatchObject({
    status: 200,
    body: {
      type: 'transaction-cancel',
      status: 'succeeded',
      code: null,
      transaction: {
        id: payment.id,
        status: 'authorization_failed',
        error_code: 'canceled',
        intent_outcome: 'failed',
        authorized_amount: 0,
      },
    },
  })
  expect(answer.body.transaction.canceled_at).not.toBeNull()
  expect(await payment.timeline()).toContain('payment-connector-response-transaction-cancel-succeeded')
})

test('a cancelled payment stays cancelled when it is synced', async () => {
  const payment = await shop.authorized(540001)
  await payment.cancel()
  expect((await payment.sync()).body).toMatchObject({
    status: 'authorization_failed',
    error_code: 'canceled',
  })
  const { operations } = await booksOf(railyard)
  expect(operations.filter(({ status }) => status === 'pending')).toEqual([])
})

test('a sale that is pending at the payment service is capture_pending, and cannot be cancelled', async () => {
  const payment = await shop.sold(540001)
  expect((await payment.read()).status).toBe('capture_pending')
  expect((await payment.cancel()).status).toBe(400)
  expect((await payment.sync()).body).toMatchObject({ status: 'capture_succeeded', captured_amount: 540001 })
})

test('a payment with a final outcome cannot be cancelled', async () => {
  for (const payment of [await shop.authorized(1_00), await shop.authorized(200011), await shop.sold(1_00)]) {
    expect(await payment.cancel()).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  }
})

test('a payment that is still processing cannot be captured, voided, incremented or refunded', async () => {
  const payment = await shop.authorized(540001)
  const answers = [
    await payment.capture(),
    await payment.void(),
    await payment.increment(1_00),
    await payment.refund(),
  ]
  expect(answers.map((answer) => [answer.status, answer.body.code])).toEqual(
    Array.from({ length: 4 }, () => [425, 'too_early']),
  )
  await payment.sync()
  expect((await payment.void()).status).toBe(200)
})
