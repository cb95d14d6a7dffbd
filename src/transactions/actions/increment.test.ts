import { expect, test } from 'vitest'
import { startShop } from '../../../test/support/start-shop.ts'

const { shop } = await startShop()

test('an increment raises the amount and the authorized amount, and can be captured', async () => {
  const payment = await shop.authorized(100_00)
  const answer = await payment.increment(25_00)
  expect(answer).toMatchObject({
    status: 200,
    body: {
      type: 'transaction-authorization-increment',
      status: 'succeeded',
      code: null,
      transaction: { status: 'authorization_succeeded', amount: 125_00, authorized_amount: 125_00 },
    },
  })
  expect((await payment.capture()).body.captured_amount).toBe(125_00)
  expect(await payment.timeline()).toContain(
    'payment-connector-response-transaction-authorization-increment-succeeded',
  )
})

test('an increment that fails changes nothing', async () => {
  const payment = await shop.authorized(100_00)
  expect(await payment.increment(550002)).toMatchObject({
    status: 200,
    body: {
      status: 'failed',
      code: 'service_error',
      transaction: { status: 'authorization_succeeded', amount: 100_00, authorized_amount: 100_00 },
    },
  })
  expect(await payment.timeline()).toContain(
    'payment-connector-response-transaction-authorization-increment-failed',
  )
})

test('a pending increment adds nothing until the payment service has approved it', async () => {
  const payment = await shop.authorized(100_00)
  expect((await payment.increment(550001)).body).toMatchObject({
    status: 'pending',
    transaction: { authorized_amount: 100_00 },
  })
  expect((await payment.capture({ amount: 100_01 })).status).toBe(400)
  expect((await payment.sync()).body).toMatchObject({ amount: 560001, authorized_amount: 560001 })
  expect((await payment.capture()).body.captured_amount).toBe(560001)
})

test('an increment is refused while the payment service has not decided the one before', async () => {
  const payment = await shop.authorized(100_00)
  await payment.increment(550001)
  expect(await payment.increment(1_00)).toMatchObject({ status: 425, body: { code: 'too_early' } })
  await payment.sync()
  expect((await payment.increment(1_00)).body).toMatchObject({
    status: 'succeeded',
    transaction: { authorized_amount: 560101 },
  })
})

test('several increments add up', async () => {
  const payment = await shop.authorized(1_00)
  for (const amount of [1, 2, 3]) await payment.increment(amount)
  expect(await payment.read()).toMatchObject({ amount: 1_06, authorized_amount: 1_06 })
})

test('only an authorization can be incremented', async () => {
  const [sold, failed, captured] = [
    await shop.sold(5_00),
    await shop.authorized(200011),
    await shop.authorized(5_00),
  ]
  await captured.capture({ amount: 1_00, final: false })
  for (const payment of [sold, failed, captured]) expect((await payment.increment(1_00)).status).toBe(400)
  expect((await shop.payment(crypto.randomUUID()).increment(1_00)).status).toBe(404)
})

test('an increment without an amount is a 422, and one of zero changes nothing', async () => {
  const payment = await shop.authorized(5_00)
  expect((await shop.post(`/transactions/${payment.id}/authorization/increment`, {})).status).toBe(422)
  expect((await payment.increment(0)).body).toMatchObject({
    status: 'failed',
    transaction: { authorized_amount: 5_00 },
  })
  expect(await payment.read()).toMatchObject({ status: 'authorization_succeeded', authorized_amount: 5_00 })
})
