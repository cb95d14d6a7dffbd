import { afterAll, expect, test } from 'vitest'
import type { OperationRow } from '../../../src/operations/operation.ts'
import { recoverPayment } from '../../../src/transactions/outcome/recover-payment.ts'
import { verify } from '../../../src/verify/verify.ts'
import { addService, type Payment } from '../../support/shop.ts'
import { shifted } from '../../support/tamper.ts'
import { openAdyenShopForFile } from './shop.ts'

const { adyen, fake } = await openAdyenShopForFile({ card_numbers: 'allow' })
afterAll(async () => {
  expect((await verify(adyen.railyard.world.run)).findings).toEqual([])
})

const MINUTE_MS = 60_000

/** A payment whose request is still on its way, and which Railyard has closed at the payment service. */
async function closedPayment(intent: 'authorize' | 'capture'): Promise<Payment> {
  const { shop, railyard } = adyen
  adyen.loseNext()
  const payment = await shop.authorized(10_00, { ...adyen.payment, intent })
  expect((await payment.read()).status).toBe('processing')
  for (let round = 0; round < 10 && (await payment.read()).status === 'processing'; round += 1) {
    adyen.advance(5 * MINUTE_MS)
    await railyard.recovery.runOnce()
    await adyen.deliver()
  }
  expect(await payment.read()).toMatchObject(failed)
  return payment
}

const failed = {
  status: 'authorization_failed',
  intent_outcome: 'failed',
  error_code: 'service_network_error',
  authorized_amount: 0,
  captured_amount: 0,
  refunded_amount: 0,
}

const operationsOf = ({ id }: Payment) =>
  adyen.railyard.world.run<Pick<OperationRow, 'id' | 'kind' | 'status' | 'amount' | 'merchant_account_id'>>(
    'select id, kind, status, amount, merchant_account_id from operations where transaction_id = $1 order by id',
    [id],
  )

/** The kinds of the movements of money in the fake's books that the payment's operations made. */
async function movementsOf(payment: Payment) {
  const ids = (await operationsOf(payment)).map(({ id }) => id)
  return fake.effects().flatMap(({ key, kind }) => (ids.includes(key) ? [kind] : []))
}

/** What the timeline says of the payment service's final answers. */
const answersIn = async (payment: Payment) =>
  (await payment.timeline()).filter((name) => /^payment-connector-response.*-(succeeded|failed)$/.test(name))

test.each([
  ['authorize', 'void', 'authorization', 'void'],
  ['capture', 'refund', 'capture', 'cancel'],
] as const)(
  'a payment with intent %s that is approved after it was closed is undone by one %s, and stays failed',
  async (intent, undoing, approval, undone) => {
    const payment = await closedPayment(intent)
    adyen.arrive()
    const late = await adyen.deliver()
    // the notification alone changes nothing
    expect(await operationsOf(payment)).toHaveLength(1)
    const compensated = await adyen.lateOutcomes('compensated')
    await adyen.settle()
    expect(await operationsOf(payment)).toMatchObject([
      { status: 'failed' },
      { kind: undoing, status: 'approved', amount: 10_00 },
    ])
    expect(await movementsOf(payment)).toEqual([intent === 'capture' ? 'sale' : 'authorize', undoing])
    expect(await payment.read()).toMatchObject(failed)
    expect(await payment.refunds()).toEqual([])
    expect((await answersIn(payment)).slice(-2)).toEqual([
      `payment-connector-response-transaction-${approval}-succeeded`,
      `payment-connector-response-transaction-${undone}-succeeded`,
    ])
    expect(await adyen.lateOutcomes('compensated')).toBe(compensated + 1)
    expect(adyen.railyard.logged.join()).toContain('a payment that had failed was approved late')
    // a notification that comes again finds it compensated
    await adyen.deliver(late)
    await adyen.settle()
    expect(await operationsOf(payment)).toHaveLength(2)
  },
)

test('two processes that look at it at the same time undo it once', async () => {
  const payment = await closedPayment('authorize')
  adyen.arrive()
  await adyen.deliver()
  const [operation] = await operationsOf(payment)
  if (!operation) throw new Error('it has no operation')
  const { world } = adyen.railyard
  await Promise.all(Array.from({ length: 4 }, () => recoverPayment(world, operation)))
  await adyen.settle()
  expect(await movementsOf(payment)).toEqual(['authorize', 'void'])
})

test('a notification that is kept while its process dies is looked at by the next one', async () => {
  const payment = await closedPayment('authorize')
  adyen.arrive()
  await adyen.deliver()
  const { world } = adyen.railyard
  // a process has claimed the look, and dies
  await world.run(
    `update operations set check_at = ${shifted('check_at', '17 s')} where transaction_id = $1`,
    [payment.id],
  )
  await adyen.railyard.recovery.runOnce()
  expect(await operationsOf(payment)).toHaveLength(1)
  adyen.advance(MINUTE_MS)
  await adyen.settle()
  expect(await movementsOf(payment)).toEqual(['authorize', 'void'])
})

test('a notification of an approval that the books do not know changes nothing, and its look-up ends', async () => {
  const payment = await closedPayment('authorize')
  const { world } = adyen.railyard
  const noted = `update operations set late_notice_at = $2, check_at = $2 where transaction_id = $1`
  await world.run(noted, [payment.id, new Date(world.clock.now()).toISOString()])
  const unsure = await adyen.lateOutcomes('unsure')
  for (let minutes = 0; minutes < 26 * 60; minutes += 20) {
    await adyen.railyard.recovery.runOnce()
    adyen.advance(20 * MINUTE_MS)
  }
  expect(await operationsOf(payment)).toHaveLength(1)
  expect(await adyen.lateOutcomes('unsure')).toBe(unsure + 1)
  const [row] = await world.run<{ check_at: string | null }>(
    'select check_at from operations where transaction_id = $1',
    [payment.id],
  )
  expect(row?.check_at).toBeNull()
})

test('a compensation that the payment service refuses is shown to operators, and in the timeline', async () => {
  const payment = await closedPayment('authorize')
  adyen.arrive()
  await adyen.deliver()
  const refused = await adyen.lateOutcomes('compensation_refused')
  await adyen.railyard.recovery.runOnce()
  // another system of the merchant has captured it meanwhile
  const [late] = await operationsOf(payment)
  const [authorized] = fake.effects().filter(({ key }) => key === late?.id)
  fake.receive({
    method: 'POST',
    url: `https://checkout-test.adyen.com/v71/payments/${authorized?.payment}/captures`,
    headers: { 'x-api-key': 'AQEyhmfxLIrIaBdEw0m', 'idempotency-key': crypto.randomUUID() },
    body: {
      merchantAccount: 'RailyardTestECOM',
      amount: { value: 10_00, currency: 'EUR' },
      reference: 'till',
    },
  })
  await adyen.settle()
  expect(await operationsOf(payment)).toMatchObject([
    { status: 'failed' },
    { kind: 'void', status: 'failed' },
  ])
  expect(await adyen.lateOutcomes('compensation_refused')).toBe(refused + 1)
  expect(adyen.railyard.logged.join()).toContain('refused the compensation of a late approval')
  expect((await answersIn(payment)).at(-1)).toBe('payment-connector-response-transaction-void-failed')
  expect(await payment.read()).toMatchObject(failed)
})

test('a payment that was paid elsewhere since stays paid there, and the late approval alone is undone', async () => {
  const { railyard, shop } = adyen
  const other = await addService(railyard, shop)
  adyen.loseNext(false)
  const payment = await shop.sold(12_00)
  const paid = await payment.read()
  expect(paid).toMatchObject({ status: 'capture_succeeded', payment_service: { id: other } })
  adyen.arrive()
  await adyen.deliver()
  await adyen.settle()
  expect(await movementsOf(payment)).toEqual(['sale', 'refund'])
  const { updated_at: _, ...unchanged } = paid
  expect(await payment.read()).toMatchObject(unchanged)
  await payment.refund({ amount: 2_00 })
  expect(await payment.read()).toMatchObject({ captured_amount: 12_00, refunded_amount: 2_00 })
})

test('a refund of a late sale that the bank returns is shown to operators', async () => {
  const payment = await closedPayment('capture')
  adyen.arrive()
  await adyen.deliver()
  await adyen.settle()
  const [, compensation] = await operationsOf(payment)
  const refused = await adyen.lateOutcomes('compensation_refused')
  fake.takeBack(compensation?.id ?? '')
  await adyen.deliver()
  await adyen.settle()
  expect(await adyen.lateOutcomes('compensation_refused')).toBe(refused + 1)
  expect(await payment.read()).toMatchObject(failed)
})
