import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tokenWith } from '../../../test/support/tokens.ts'
import { type Caller, canSeeAccount, canUseScope } from '../../api/auth/caller.ts'
import { covers } from '../../api/auth/scopes.ts'
import { ApiError } from '../../api/errors.ts'
import { isWithinCallerAccounts } from '../roles/assignable-accounts.ts'
import { roles, rolesBySlugs, scopesOf } from '../roles/role.ts'
import {
  emptyGrant,
  type Grant,
  type GrantRequest,
  isAdministratorGrant,
  resolveGrant,
} from './api-key-pair.ts'

const accounts = ['north', 'south', 'east']
/** `elsewhere` stands for the accounts that no request names, `future.read` for a scope that no role has. */
const everywhere = [...accounts, 'elsewhere']
const words = roles.flatMap(({ scopes }) => scopes).filter((scope) => !scope.includes('*'))
const everyScope = [...new Set([...words, 'api-key-pairs.write', 'future.read', 'future.write'])]

const slugs = (assignee: 'user' | 'api-key-pair') =>
  roles.filter(({ assignableTo }) => assignableTo.includes(assignee)).map(({ slug }) => slug)
const some = <T>(values: readonly T[]) => fc.subarray([...values])
const anyScopes = fc.oneof(some(['*.read', '*.write', 'embed']), some(everyScope))

const anyCaller: fc.Arbitrary<Caller> = fc
  .record({
    scopes: fc.oneof(some(slugs('api-key-pair')).map(scopesOf), some(slugs('user')).map(scopesOf), anyScopes),
    merchantAccountIds: some(accounts),
    tokenScopes: fc.option(anyScopes, { nil: undefined }),
  })
  .map(({ tokenScopes, ...rest }) => ({
    actor: { type: 'api-key-pair', id: 'caller', name: 'Caller', emailAddress: null },
    ...rest,
    ...(tokenScopes && {
      token: tokenWith(tokenScopes),
    }),
  }))

const anyGrant: fc.Arbitrary<Grant> = fc.oneof(
  fc.constant(emptyGrant),
  fc.record({ roles: some(slugs('api-key-pair')), merchantAccountIds: some(accounts), active: fc.boolean() }),
)

const roleId = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...roles.map(({ id }) => id)) },
  { weight: 1, arbitrary: fc.uuid() },
)
const forKeys = fc.subarray(
  roles.filter(({ assignableTo }) => assignableTo.includes('api-key-pair')).map(({ id }) => id),
  { minLength: 1 },
)
const anyRequest: fc.Arbitrary<GrantRequest> = fc.record(
  {
    role_ids: fc.oneof(fc.constant(null), forKeys, fc.array(roleId, { minLength: 1, maxLength: 4 })),
    merchant_account_ids: fc.oneof(fc.constant(null), some(accounts)),
    active: fc.constantFrom(null, true, false),
  },
  { requiredKeys: [] },
)

const opens = ({ roles: slugs, merchantAccountIds, active }: Grant, scope: string, account: string) =>
  active &&
  covers(scopesOf(slugs), scope) &&
  (merchantAccountIds.length === 0 || merchantAccountIds.includes(account))

const has = (caller: Caller, scope: string, account: string) =>
  canSeeAccount(caller, account) &&
  (canUseScope(caller, scope) ||
    (scope === 'embed' && canUseScope(caller, '*.read') && canUseScope(caller, '*.write')))

/** The grant after the request; undefined: the request was refused. */
function resolved(caller: Caller, before: Grant, request: GrantRequest): Grant | undefined {
  try {
    return resolveGrant(caller, before, request)
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 403)) return undefined
    throw error
  }
}

test('no key pair ever gets a scope on an account on which the caller lacks it', () => {
  let granted = 0
  fc.assert(
    fc.property(anyCaller, anyGrant, anyRequest, (caller, before, request) => {
      fc.pre(before === emptyGrant || isWithinCallerAccounts(caller, before.merchantAccountIds))
      // for a new pair, a request without merchant accounts means all of them
      const complete =
        before === emptyGrant
          ? { ...request, merchant_account_ids: request.merchant_account_ids ?? [] }
          : request
      const after = resolved(caller, before, complete)
      if (!after) return
      for (const scope of everyScope)
        for (const account of everywhere) {
          if (!opens(after, scope, account) || opens(before, scope, account)) continue
          granted++
          expect({ scope, account, lacks: !has(caller, scope, account) }).toEqual({
            scope,
            account,
            lacks: false,
          })
        }
    }),
    { numRuns: 20_000 },
  )
  expect(granted).toBeGreaterThan(1_000)
})

test('a caller that is limited to some accounts never lets a key pair reach further than that, whatever its roles', () => {
  fc.assert(
    fc.property(anyCaller, anyGrant, anyRequest, (caller, before, request) => {
      fc.pre(before === emptyGrant || isWithinCallerAccounts(caller, before.merchantAccountIds))
      const after = resolved(caller, before, {
        ...request,
        merchant_account_ids: request.merchant_account_ids ?? [],
      })
      if (after) expect(isWithinCallerAccounts(caller, after.merchantAccountIds)).toBe(true)
    }),
    { numRuns: 5_000 },
  )
})

test('an administrator of every account is refused only roles that do not exist or are not for key pairs', () => {
  const caller: Caller = {
    actor: { type: 'user', id: 'caller', name: 'Caller', emailAddress: 'a@b.example' },
    scopes: scopesOf(['administrator']),
    merchantAccountIds: [],
  }
  fc.assert(
    fc.property(anyGrant, anyRequest, (before, request) => {
      const wanted = request.role_ids?.map((id) => roles.find((role) => role.id === id))
      const sensible = wanted?.every((role) => role?.assignableTo.includes('api-key-pair')) ?? true
      expect(resolved(caller, before, request) !== undefined).toBe(sensible)
    }),
  )
})

test('a grant keeps what the request leaves out, and any caller may deactivate a key pair', () => {
  fc.assert(
    fc.property(anyCaller, anyGrant, (caller, before) => {
      expect(resolveGrant(caller, before, {})).toEqual(before)
      expect(
        resolveGrant(caller, before, { role_ids: null, merchant_account_ids: null, active: null }),
      ).toEqual(before)
      expect(resolveGrant(caller, before, { active: false })).toEqual({ ...before, active: false })
    }),
  )
})

test('an administrator grant is active, has the role and reaches every account', () => {
  const administrator = { roles: ['processing', 'administrator'], merchantAccountIds: [], active: true }
  expect(isAdministratorGrant(administrator)).toBe(true)
  for (const less of [{ active: false }, { merchantAccountIds: ['north'] }, { roles: ['processing'] }])
    expect(isAdministratorGrant({ ...administrator, ...less })).toBe(false)
  expect(rolesBySlugs(['administrator', 'a role that is gone']).map(({ slug }) => slug)).toEqual([
    'administrator',
  ])
})
