import { expect, test } from 'vitest'
import { roleIds } from '../../../test/support/roles.ts'
import { tokenWith } from '../../../test/support/tokens.ts'
import type { Caller } from '../../api/auth/caller.ts'
import { readAssignedRoles } from './assignable-roles.ts'
import { scopesOf } from './role.ts'

const caller = (slugs: string[], tokenScopes?: string[]): Caller => ({
  actor: { type: 'api-key-pair', id: 'caller', name: 'Caller', emailAddress: null },
  scopes: scopesOf(slugs),
  merchantAccountIds: [],
  ...(tokenScopes && {
    token: tokenWith(tokenScopes),
  }),
})
const administrator = caller(['administrator'], ['*.read', '*.write'])
const slugsOf = (...parameters: Parameters<typeof readAssignedRoles>) =>
  readAssignedRoles(...parameters).map(({ slug }) => slug)
const blamed = (...pointers: string[]) =>
  expect.objectContaining({
    status: 400,
    details: pointers.map((pointer) => expect.objectContaining({ pointer })),
  })
const refused = expect.objectContaining({ status: 403 })

test('a role is assigned once, also if its id is repeated or in capitals', () => {
  const ids = roleIds('processing')
  expect(
    slugsOf(administrator, [...ids, ...ids, ...ids.map((id) => id.toUpperCase())], 'api-key-pair'),
  ).toEqual(['processing'])
})

test('each role that does not exist, or is not for this kind of assignee, is a problem of its own', () => {
  const ids = [...roleIds('processing'), '00000000-0000-4000-8000-000000000000', ...roleIds('analyst')]
  expect(() => readAssignedRoles(administrator, ids, 'api-key-pair')).toThrow(
    blamed('/role_ids/1', '/role_ids/2'),
  )
  expect(() => readAssignedRoles(administrator, roleIds('processing'), 'user')).toThrow(blamed('/role_ids/0'))
})

test('an add-on can be given beside a role that it applies to, and beside no other', () => {
  expect(slugsOf(administrator, roleIds('analyst', 'pii-viewer', 'report-viewer'), 'user')).toEqual([
    'analyst',
    'pii-viewer',
    'report-viewer',
  ])
  expect(() => readAssignedRoles(administrator, roleIds('pii-viewer'), 'user')).toThrow(blamed('/role_ids/0'))
  expect(() => readAssignedRoles(administrator, roleIds('system-manager', 'pii-viewer'), 'user')).toThrow(
    blamed('/role_ids/1'),
  )
})

test('a caller cannot give a role that opens more than they may do, or than their token has', () => {
  expect(() => readAssignedRoles(caller(['user-manager']), roleIds('administrator'), 'user')).toThrow(refused)
  expect(() => readAssignedRoles(caller(['processing']), roleIds('administrator'), 'api-key-pair')).toThrow(
    refused,
  )
  const narrow = caller(['administrator'], ['*.read', 'api-key-pairs.write'])
  expect(() => readAssignedRoles(narrow, roleIds('processing'), 'api-key-pair')).toThrow(refused)
  expect(() => readAssignedRoles(narrow, roleIds('analyst'), 'user')).toThrow(refused)
  expect(slugsOf(caller(['user-manager']), roleIds('system-manager'), 'user')).toEqual(['system-manager'])
  expect(
    slugsOf(
      caller(['administrator'], ['*.read', 'users.me.write', 'saved-views.write', 'metrics-explorer.write']),
      roleIds('analyst'),
      'user',
    ),
  ).toEqual(['analyst'])
})
