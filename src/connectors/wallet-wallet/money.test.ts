import { expect, test } from 'vitest'
import type { OrderForCall } from '../contract/call.ts'
import { fromMoney, isExpressible, toMoney } from './money.ts'
import { orderBody } from './order.ts'

test.each([
  [1, 'EUR', '0.01'],
  [10, 'EUR', '0.10'],
  [123_45, 'USD', '123.45'],
  [99_999_999, 'USD', '999999.99'],
  [5_000, 'JPY', '5000'],
  [1_000_00, 'HUF', '1000'],
  [1_000_00, 'TWD', '1000'],
])('%i in the smallest unit of %s is %s, and the same again', (amount, currency, value) => {
  expect(toMoney(amount, currency)).toEqual({ currency_code: currency, value })
  expect(fromMoney({ currency_code: currency, value }, currency)).toBe(amount)
})

test.each([
  ['another currency', 'USD', '1.00'],
  ['finer than its unit', 'EUR', '1.005'],
  ['negative', 'EUR', '-1.00'],
  ['no number', 'EUR', 'one'],
  ['nothing', 'EUR', ''],
  ['beyond the safe integers', 'EUR', '99999999999999999'],
])('an amount that is %s is not read', (_name, currency_code, value) => {
  expect(fromMoney({ currency_code, value }, 'EUR')).toBeUndefined()
})

test('ignores zeros beyond the smallest unit', () => {
  expect(fromMoney({ currency_code: 'EUR', value: '1.500' }, 'EUR')).toBe(1_50)
  expect(fromMoney({ currency_code: 'JPY', value: '15.00' }, 'JPY')).toBe(15)
})

test('writes some currencies in whole units only', () => {
  expect([
    isExpressible(1_000_50, 'HUF'),
    isExpressible(1_000_00, 'HUF'),
    isExpressible(7, 'EUR'),
    isExpressible(7, 'JPY'),
  ]).toEqual([false, true, true, true])
})

test('sends no breakdown if a part is not a whole unit', () => {
  const values = (tax_amount: number) => {
    const lines = [{ name: 'Apple', quantity: 1, unit_amount: 2_000_00 - tax_amount, tax_amount }]
    const returnUrls = {
      approved: 'https://shop.example/a',
      cancelled: 'https://shop.example/c',
      failed: 'https://shop.example/f',
    }
    const order = {
      intent: 'capture',
      merchantName: 'Shop',
      lines,
      returnUrls,
      shipping: null,
    } as unknown as OrderForCall
    return JSON.stringify(
      orderBody({ id: 'x', order, amount: 2_000_00, currency: 'HUF', options: {}, storesInstrument: false }),
    ).match(/(?<="value":")[^"]*/g)
  }
  expect(values(425_20)).toEqual(['2000'])
  expect(values(425_00)).toEqual(['2000', '1575', '425', '1575'])
})
