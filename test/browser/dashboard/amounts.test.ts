import currencyCodes from 'currency-codes'
import { expect, test } from 'vitest'
import { formatAmount, parseAmount, typedAmount } from '../../../dashboard/src/format/amount.ts'

/** Precious metals and codes for tests: nothing is paid in them. */
const isMoney = (code: string) => !/^X(A[GU]|B[ABCD]|DR|P[DT]|SU|TS|UA|XX)$/.test(code)

const currencies = currencyCodes.data.filter(({ code }) => isMoney(code))

test.each(currencies)('an amount of $code has the decimals of ISO 4217', ({ code, digits }) => {
  expect(typedAmount(123456, code)).toBe((123456 / 10 ** digits).toFixed(digits))
  expect(parseAmount(typedAmount(123456, code), code)).toBe(123456)
  expect(formatAmount(123456, code).match(/[.]\d+$/)?.[0].length ?? 1).toBe(digits + 1)
})

test('an amount in forints is shown and typed with its two decimals', () => {
  expect(formatAmount(150_000, 'HUF')).toMatch(/1,500\.00/)
  expect(parseAmount('1500', 'HUF')).toBe(150_000)
})
