import { expect, test } from 'vitest'
import { scopesOf } from '../accounts/role.ts'
import { type Caller, isEmbedded, mayUse, seesAccount } from './caller.ts'
import { pinsOf } from './pinned.ts'

const person = (...roles: string[]): Caller => ({
  actor: { type: 'user', id: 'ada', name: 'Ada', emailAddress: 'ada@shop.example' },
  scopes: scopesOf(roles),
  merchantAccountIds: ['north'],
})

test('a person has no token: their roles alone say what they may do', () => {
  const support = person('customer-support')
  expect(['transactions.read', 'transactions.write', 'payment-services.write'].map((scope) => mayUse(support, scope))).toEqual([true, true, false])
  expect([seesAccount(support, 'north'), seesAccount(support, 'south')]).toEqual([true, false])
})

test('a person is no browser of a buyer’s, an administrator neither: nothing is pinned', () => {
  const administrator = person('administrator')
  expect(isEmbedded(administrator)).toBe(false)
  expect(pinsOf(administrator)).toEqual({})
})
