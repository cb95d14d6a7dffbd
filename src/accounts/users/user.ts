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
import { type Role, roleBySlug, scopesOf } from '../roles/role.ts'
import { isDisabled } from './idle-users.ts'
import { PersonName, type User } from './user.schema.ts'

export type UserRow = Selectable<UserTable>

const rolesOfUser = ({ role_ids }: UserRow): Role[] => role_ids.map(roleBySlug).filter((role) => role !== undefined)

/** A person as the API shows them: never a hash, never a secret. */
export const toUser = ({ clock }: Pick<World, 'clock'>, row: UserRow): User => ({
  type: 'user',
  id: row.id,
  email_address: row.email_address,
  name: row.name,
  status: userStatus(row, clock.now()),
  roles: rolesOfUser(row).map(({ id, slug, name }) => ({ type: 'role', id, slug, name })),
  merchant_account_ids: row.merchant_account_ids,
  totp_enabled: row.totp_secret !== null,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/** What becomes of a sign-in; `now` in milliseconds. */
export const userStatus = (row: UserRow, now: number): User['status'] =>
  row.status !== 'active' ? 'pending' : isDisabled(row, now) ? 'disabled' : 'active'

/** What is wrong with a name that was not given through the API, which checks it by its schema. Undefined: nothing. */
export const nameProblem = (name: string): string | undefined =>
  name.trim() !== '' && isStorable(name) && Value.Check(PersonName, name) ? undefined : 'must have 1 to 200 characters, and no control characters'

/** One address, however it is written: compared and stored in lower case. */
export const normalizeEmailAddress = (emailAddress: string): string => emailAddress.normalize('NFC').toLowerCase()

/** What a person may do. `embed` is what a buyer's browser may, under a token that pins it: never a person's. */
export const scopesOfUser = ({ role_ids }: UserRow): string[] => scopesOf(role_ids).filter((scope) => scope !== 'embed')

/** Whether everything would be closed to everybody without such people. */
export const isAdministratorUser = ({ status, role_ids, merchant_account_ids }: UserRow): boolean =>
  status === 'active' && role_ids.includes('administrator') && merchant_account_ids.length === 0

/** 404 where the caller does not see this person (SEMANTICS §1.5). */
export function requireVisibleUser(caller: Caller, row: UserRow | undefined): UserRow {
  if (row && isWithinCallerAccounts(caller, row.merchant_account_ids)) return row
  throw notFound()
}

/** 404 where the caller does not see this person, 403 where that one may do more: who could reset an administrator's password would be one. */
export function requireManageableUser(caller: Caller, row: UserRow | undefined): UserRow {
  const user = requireVisibleUser(caller, row)
  refuseUnassignableRoles(caller, rolesOfUser(user))
  return user
}

/**
 * The same, and 403 where this person has signed in before and may do anything that the caller may not: the caller holds the new link, and could act as this
 * person. An invitation that was never accepted may be made again by the callers that may make it.
 */
export function requireResettableUser(caller: Caller, row: UserRow | undefined): UserRow {
  const user = requireManageableUser(caller, row)
  if (user.status === 'active') refuseRolesBeyondCaller(caller, rolesOfUser(user))
  return user
}

/** How the audit log names a person. */
export const auditedUser = ({ id, name }: UserRow) => ({ type: 'user', id, name })
