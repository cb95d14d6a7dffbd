import { afterAll, expect, test } from 'vitest'
import type { OperationRow } from '../../../src/operations/operation.ts'
import { recoverPayment } from '../../../src/transactions/outcome/recover-payment.ts'
import { verify } from '../../../src/verify/verify.ts'
import type { Payment } from '../../support/shop.ts'
import { openAdyenShopForFile } from './shop.ts'

const { adyen, fake } = await openAdyenShopForFile()
afterAll(async () => {
  expect((await verify(adyen.railyard.world.run)).findings).toEqual([])
})

const HOUR_MS = 3_600_000

const operationsOf = ({ id }: Payment) =>
  adyen.railyard.world.run<Pick<OperationRow, 'id' | 'kind' | 'status' | 'merchant_account_id'>>(
    'select id, kind, status, merchant_account_id from operations where transaction_id = $1 order by id',
    [id],
  )

/** The latest operation of this kind. */
async function operationOf(payment: Payment, kind: OperationRow['kind']) {
  const found = (await operationsOf(payment)).findLast((operation) => operation.kind === kind)
  if (!found) throw new Error(`it has no ${kind}`)
  return found
}

async function capturedPayment() {
  const payment = await adyen.shop.authorized(10_00, adyen.payment)
  await adyen.deliver()
  await payment.capture()
  await adyen.deliver()
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 10_00 })
  return payment
}

test('a sale whose capture fails later has failed, and the payment with it', async () => {
  const payment = await adyen.shop.sold(10_00, adyen.payment)
  await adyen.deliver()
  await adyen.settle()
  fake.takeBack((await operationOf(payment, 'sale')).id)
  await adyen.deliver()
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded' })
  await adyen.settle()
  expect(await payment.read()).toMatchObject({
    status: 'authorization_failed',
    intent_outcome: 'failed',
    authorized_amount: 0,
    captured_amount: 0,
    error_code: 'service_error',
    raw_response_code: 'Insufficient balance',
  })
  expect(await payment.captures()).toMatchObject([{ status: 'failed', error_code: 'service_error' }])
  const names = await adyen.railyard.world.run<{ name: string }>(
    'select name from events where target_id = $1 order by sequence',
    [payment.id],
  )
  expect(names.at(-1)?.name).toBe('transaction.failed')
})

test('a failure that several processes find at the same time is recorded once', async () => {
  const payment = await capturedPayment()
  await payment.refund({ amount: 3_00 })
  await adyen.deliver()
  const refund = await operationOf(payment, 'refund')
  fake.takeBack(refund.id)
  await adyen.deliver()
  await Promise.all(Array.from({ length: 4 }, () => recoverPayment(adyen.railyard.world, refund)))
  await adyen.settle()
  expect((await operationsOf(payment)).filter(({ kind }) => kind === 'late-failure')).toHaveLength(1)
  expect(await payment.read()).toMatchObject({ captured_amount: 10_00, refunded_amount: 0 })
})

test('one capture of two that fails leaves the other, and the money can be captured again', async () => {
  const payment = await adyen.shop.authorized(10_00, adyen.payment)
  await adyen.deliver()
  await payment.capture({ amount: 4_00, final: false })
  await adyen.deliver()
  await payment.capture({ amount: 6_00 })
  await adyen.deliver()
  fake.takeBack((await operationOf(payment, 'capture')).id)
  await adyen.deliver()
  await adyen.settle()
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 4_00 })
  await payment.capture({ amount: 6_00 })
  await adyen.deliver()
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 10_00 })
})

test('a capture whose money has been refunded keeps its amounts, and an operator is told after a day', async () => {
  const payment = await capturedPayment()
  await payment.refund({ amount: 2_00 })
  await adyen.deliver()
  const before = await payment.read()
  fake.takeBack((await operationOf(payment, 'capture')).id)
  await adyen.deliver()
  const conflicts = await adyen.lateOutcomes('conflict')
  for (let hours = 0; hours < 26; hours += 1) {
    await adyen.railyard.recovery.runOnce()
    adyen.advance(HOUR_MS)
  }
  expect(await payment.read()).toEqual(before)
  expect(await adyen.lateOutcomes('conflict')).toBe(conflicts + 1)
  expect(adyen.railyard.logged.join()).toContain('took money back that was refunded or disputed since')
})

test('money that a dispute has taken does not fall back with a capture', async () => {
  const payment = await capturedPayment()
  await adyen.railyard.world.run('update transactions set disputed_amount = 500 where id = $1', [payment.id])
  fake.takeBack((await operationOf(payment, 'capture')).id)
  await adyen.deliver()
  await adyen.settle()
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 10_00 })
  await adyen.railyard.world.run('update transactions set disputed_amount = null where id = $1', [payment.id])
  adyen.advance(HOUR_MS)
  await adyen.settle()
  expect(await payment.read()).toMatchObject({ status: 'authorization_succeeded', captured_amount: 0 })
})
