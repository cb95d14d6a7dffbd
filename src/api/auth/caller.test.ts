import { expect, test } from 'vitest'
import { scopesOf } from '../../accounts/roles/role.ts'
import { type Caller, canSeeAccount, canUseScope, hasEmbedToken } from './caller.ts'
import { embedConstraintsOf } from './embed-constraints.ts'

const person = (...roles: string[]): Caller => ({
  actor: { type: 'user', id: 'ada', name: 'Ada', emailAddress: 'ada@shop.example' },
  scopes: scopesOf(roles),
  merchantAccountIds: ['north'],
})

test('a person’s roles alone decide what they may do: a person has no token', () => {
  const support = person('customer-support')
  expect(
    ['transactions.read', 'transactions.write', 'payment-services.write'].map((scope) =>
      canUseScope(support, scope),
    ),
  ).toEqual([true, true, false])
  expect([canSeeAccount(support, 'north'), canSeeAccount(support, 'south')]).toEqual([true, false])
})

test('a person does not count as a buyer’s browser and has no embed constraints, not even an administrator', () => {
  const administrator = person('administrator')
  expect(hasEmbedToken(administrator)).toBe(false)
  expect(embedConstraintsOf(administrator)).toEqual({})
})
