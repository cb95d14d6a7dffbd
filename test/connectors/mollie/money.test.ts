import { expect, test } from 'vitest'
import { fromMoney, toMoney } from '../../../src/connectors/mollie/money.ts'
import { openBench, openPayment } from './harness.ts'

test.each([
  [10_00, 'EUR', '10.00'],
  [1, 'EUR', '0.01'],
  [0, 'EUR', '0.00'],
  [1000, 'JPY', '1000'],
  [1_234, 'KWD', '1.234'],
  [5, 'KWD', '0.005'],
  [99_999_999, 'EUR', '999999.99'],
])('%i of the smallest unit of %s is %s', (amount, currency, value) => {
  expect(toMoney(amount, currency)).toEqual({ currency, value })
  expect(fromMoney({ currency, value }, currency)).toBe(amount)
})

test.each([
  ['another currency', { currency: 'USD', value: '1.00' }],
  ['a negative amount', { currency: 'EUR', value: '-1.00' }],
  ['a finer amount', { currency: 'EUR', value: '1.001' }],
  ['no number', { currency: 'EUR', value: '1e3' }],
  ['nothing', undefined],
])('%s is no amount', (_what, money) => expect(fromMoney(money, 'EUR')).toBeUndefined())

test.each([
  ['JPY', 1000],
  ['KWD', 1_234],
])('a payment, a capture and a refund of %s', async (currency, amount) => {
  const bench = openBench()
  const payment = await openPayment(bench, 'authorize', { currency, amount })
  const capture = { ...payment, id: bench.nextId(), kind: 'capture' as const, currency, amount }
  await bench.run('capture', capture)
  bench.fake.advance(60_000)
  expect(await bench.find(capture)).toMatchObject({ outcome: { status: 'approved', amount } })
  const refund = { ...payment, id: bench.nextId(), kind: 'refund' as const, currency, amount: 1 }
  expect(await bench.run('refund', refund)).toMatchObject({ status: 'pending' })
  expect(bench.fake.effects().map((effect) => effect.amount)).toEqual([amount, amount, 1])
})
