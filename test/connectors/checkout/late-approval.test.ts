import { expect, test } from 'vitest'
import { openCheckoutShopForFile } from './shop.ts'

const { shop: checkout, fake } = await openCheckoutShopForFile()

test('the notification of an ordinary approval makes no request', async () => {
  const payment = await checkout.shop.authorized(10_00)
  const requests = fake.requests.length
  expect(await checkout.deliver()).toHaveLength(1)
  await checkout.settle()
  expect(fake.requests).toHaveLength(requests)
  expect(await payment.read()).toMatchObject({ status: 'authorization_succeeded' })
})

const MINUTE_MS = 60_000

test.each([
  ['authorize', ['authorize', 'void']],
  ['capture', ['sale', 'refund']],
] as const)(
  'a payment with intent %s that the search finds after it was taken for absent is undone once',
  async (intent, movements) => {
    const before = fake.effects().length
    checkout.loseNext()
    const payment = await checkout.shop.authorized(10_00, { intent })
    for (let round = 0; round < 10 && (await payment.read()).status === 'processing'; round += 1) {
      checkout.advance(2 * MINUTE_MS)
      await checkout.railyard.recovery.runOnce()
    }
    // what the connector notes for itself is no id of the payment
    const failed = { status: 'authorization_failed', payment_service_transaction_id: null }
    expect(await payment.read()).toMatchObject(failed)
    checkout.arrive()
    // the search is behind the notification
    fake.hideFromSearchUntil(checkout.railyard.clock.now() + 5 * MINUTE_MS)
    const late = await checkout.deliver()
    await checkout.settle()
    checkout.advance(11 * MINUTE_MS)
    await checkout.settle()
    await checkout.deliver(late)
    await checkout.settle()
    expect(
      fake
        .effects()
        .slice(before)
        .map(({ kind }) => kind),
    ).toEqual(movements)
    expect(await payment.read()).toMatchObject({
      status: 'authorization_failed',
      captured_amount: 0,
      refunded_amount: 0,
    })
    expect(await checkout.differences()).toEqual([])
    expect(await checkout.lateOutcomes('compensated')).toBeGreaterThan(0)
  },
)

test.each([
  ['authorize', 'payment_approved', 'authorization_succeeded', 'authorize'],
  ['capture', 'payment_captured', 'capture_succeeded', 'sale'],
] as const)(
  'a payment with intent %s whose outcome is unknown does not fail after %s, however late the search finds it',
  async (intent, event, status, movement) => {
    const before = fake.effects().length
    fake.takeNotifications()
    fake.hideFromSearchUntil(checkout.railyard.clock.now() + 5 * MINUTE_MS)
    checkout.loseNext()
    const payment = await checkout.shop.authorized(10_00, { intent })
    checkout.arrive()
    await checkout.deliver(fake.takeNotifications().filter(({ text }) => text.includes(`"${event}"`)))
    for (let round = 0; round < 2; round += 1) {
      checkout.advance(2 * MINUTE_MS)
      await checkout.railyard.recovery.runOnce()
    }
    expect(await payment.read()).toMatchObject({ status: 'processing' })
    checkout.advance(2 * MINUTE_MS)
    await checkout.railyard.recovery.runOnce()
    expect(await payment.read()).toMatchObject({ status })
    expect(fake.effects().slice(before)).toMatchObject([{ kind: movement }])
  },
)

test('a sale that arrives after it was taken for absent is refunded once it is captured, not before', async () => {
  const before = fake.effects().length
  checkout.loseNext()
  const payment = await checkout.shop.authorized(10_00, { intent: 'capture' })
  for (let round = 0; round < 10 && (await payment.read()).status === 'processing'; round += 1) {
    checkout.advance(2 * MINUTE_MS)
    await checkout.railyard.recovery.runOnce()
  }
  checkout.arrive()
  const sale = [...fake.books.payments.values()].at(-1)
  const capture = sale?.actions.pop()
  if (!sale || !capture) throw new Error('the sale has not arrived')
  Object.assign(sale, { status: 'Authorized', captured: 0 })
  const [approved] = fake.takeNotifications()
  await checkout.deliver(approved && [approved])
  await checkout.settle()
  expect(fake.effects().slice(before)).toMatchObject([{ kind: 'sale' }])
  Object.assign(sale, { status: 'Captured', captured: sale.amount })
  sale.actions.push(capture)
  checkout.advance(11 * MINUTE_MS)
  await checkout.settle()
  expect(fake.effects().slice(before)).toMatchObject([{ kind: 'sale' }, { kind: 'refund' }])
  expect(await payment.read()).toMatchObject({ status: 'authorization_failed', captured_amount: 0 })
  expect(await checkout.differences()).toEqual([])
})

test('money that stays at the provider because the compensation is refused is a difference of the books', async () => {
  checkout.loseNext()
  const payment = await checkout.shop.authorized(10_00)
  for (let round = 0; round < 10 && (await payment.read()).status === 'processing'; round += 1) {
    checkout.advance(2 * MINUTE_MS)
    await checkout.railyard.recovery.runOnce()
  }
  checkout.arrive()
  await checkout.deliver()
  fake.answerNextStep('20005')
  await checkout.settle()
  expect(await checkout.lateOutcomes('compensation_refused')).toBe(1)
  expect(await checkout.differences()).toMatchObject([{ transaction_id: payment.id, kind: 'authorize' }])
})
