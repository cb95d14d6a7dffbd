import type { Selectable } from 'kysely'
import { Value } from 'typebox/value'
import type { Caller } from '../../api/auth/caller.ts'
import { notFound } from '../../api/errors.ts'
import { isStorable } from '../../api/server/validation.ts'
import type { UserTable } from '../../database/tables/accounts.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import { isWithinCallerAccounts } from '../roles/assignable-accounts.ts'
import { refuseRolesBeyondCaller, refuseUnassignableRoles } from '../roles/assignable-roles.ts'
import { rolesBySlugs, scopesOf } from '../roles/role.ts'
import { isDisabled } from './idle-users.ts'
import { PersonName, type User } from './user.schema.ts'

export type UserRow = Selectable<UserTable>

/** A person as the API shows them, without a hash or a secret. */
export const toUser = ({ clock }: Pick<World, 'clock'>, row: UserRow): User => ({
  type: 'user',
  id: row.id,
  email_address: row.email_address,
  name: row.name,
  status: userStatus(row, clock.now()),
  roles: rolesBySlugs(row.role_ids).map(({ id, slug, name }) => ({ type: 'role', id, slug, name })),
  merchant_account_ids: row.merchant_account_ids,
  totp_enabled: row.totp_secret !== null,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/**
 * `pending` until the invitation is accepted, `disabled` after 90 days without a sign-in; `now` in
 * milliseconds.
 */
export const userStatus = (row: UserRow, now: number): User['status'] =>
  row.status !== 'active' ? 'pending' : isDisabled(row, now) ? 'disabled' : 'active'

/**
 * What is wrong with a name from a form or the command line; the API checks names by their schema. Undefined:
 * nothing.
 */
export const nameProblem = (name: string): string | undefined =>
  name.trim() !== '' && isStorable(name) && Value.Check(PersonName, name)
    ? undefined
    : 'must have 1 to 200 characters, and no control characters'

/** Addresses are compared and stored in this form: NFC, in lower case. */
export const normalizeEmailAddress = (emailAddress: string): string =>
  emailAddress.normalize('NFC').toLowerCase()

/** The scopes of a person's roles. `embed` is for the tokens of buyers' browsers and never a person's. */
export const scopesOfUser = ({ role_ids }: UserRow): string[] =>
  scopesOf(role_ids).filter((scope) => scope !== 'embed')

/**
 * Whether this person is an administrator of the whole instance: `refuseLosingLastAdministrator` keeps one.
 */
export const isAdministratorUser = ({ status, role_ids, merchant_account_ids }: UserRow): boolean =>
  status === 'active' && role_ids.includes('administrator') && merchant_account_ids.length === 0

/** 404 if the caller does not see this person (semantics §1.5). */
export function requireVisibleUser(caller: Caller, row: UserRow | undefined): UserRow {
  if (row && isWithinCallerAccounts(caller, row.merchant_account_ids)) return row
  throw notFound()
}

/** 404 if the caller does not see this person; 403 if the person has a role that the caller may not give. */
export function requireManageableUser(caller: Caller, row: UserRow | undefined): UserRow {
  const user = requireVisibleUser(caller, row)
  refuseUnassignableRoles(caller, rolesBySlugs(user.role_ids))
  return user
}

/**
 * As `requireManageableUser`, and 403 if the person has accepted an invitation before and may do something
 * that the caller may not: the caller gets the new link, and could act as that person. An invitation that was
 * never accepted may be made again by any caller that could have made it.
 */
export function requireResettableUser(caller: Caller, row: UserRow | undefined): UserRow {
  const user = requireManageableUser(caller, row)
  if (user.status === 'active') refuseRolesBeyondCaller(caller, rolesBySlugs(user.role_ids))
  return user
}

/** A person as the audit log names them. */
export const auditedUser = ({ id, name }: UserRow) => ({ type: 'user', id, name })
