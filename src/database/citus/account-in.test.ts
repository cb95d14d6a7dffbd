import { expect, test } from 'vitest'
import { accountIn } from './account-in.ts'

test.each([
  ['select intend_payment_5e0db8df86d3($1, $2) as result', ['shop', 'x'], 'shop'],
  ['select id from transactions where merchant_account_id = $1 and id = $2', ['shop', 'x'], 'shop'],
  ['update operations o set a = $1 where o.merchant_account_id = $2', ['x', 'shop'], 'shop'],
  ['select merchant_account_id, id from reports where next_execution_at <= $1', ['x'], undefined],
  ['select pg_notify($1, $2)', ['x', 'y'], undefined],
  ['select from transactions where merchant_account_id = any($1)', [['shop']], undefined],
])('%s', (text, values, account) => {
  expect(accountIn({ text, values })).toBe(account)
})
