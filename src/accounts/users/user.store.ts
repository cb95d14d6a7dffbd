import { type Kysely, sql } from 'kysely'
import { duplicateRecord } from '../../api/errors.ts'
import type { PageRequest } from '../../api/pagination.ts'
import { timeOf } from '../../base/clock.ts'
import { containing } from '../../database/like-pattern.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import { newestFirst } from '../../database/rows/newest-first.ts'
import { wouldChange } from '../../database/rows/would-change.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { hasSameMembers } from '../has-same-members.ts'
import { deletePasskeys } from '../passkeys/passkey.store.ts'
import { endSessions } from '../sign-in/session.store.ts'
import { createInvitation, deleteInvitation, type Invitation } from './invitation.store.ts'
import { refuseLosingLastAdministrator } from './last-administrator.ts'
import { lockUser } from './lock-user.ts'
import { auditedUser, isAdministratorUser, normalizeEmailAddress, type UserRow } from './user.ts'
import { type UserValues, userChange } from './user-change.ts'

/** What the functions of this file need; the command line has no more than this. */
export type UserStore = Pick<World, 'db' | 'clock' | 'ids' | 'changes'>

export interface NewUser {
  emailAddress: string
  name: string
  /** Slugs of roles. */
  roleIds: string[]
  merchantAccountIds: string[]
}

/**
 * Adds a person with their invitation. Throws `duplicate_record` if another person has the address: the
 * unique index decides.
 */
export async function insertUser(
  store: UserStore,
  user: NewUser,
): Promise<{ row: UserRow; invitation: Invitation }> {
  const now = timeOf(store.clock)
  const emailAddress = normalizeEmailAddress(user.emailAddress)
  return store.db.transaction().execute(async (db) => {
    const row = await db
      .insertInto('users')
      .values({
        id: store.ids.next(),
        email_address: emailAddress,
        name: user.name,
        status: 'pending',
        role_ids: user.roleIds,
        merchant_account_ids: user.merchantAccountIds,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.column('email_address').where('deleted_at', 'is', null).doNothing())
      .returningAll()
      .executeTakeFirst()
    if (!row)
      throw duplicateRecord(await userIdByAddress(db, emailAddress), 'A user with this email_address exists')
    await recordChange(db, store, { account: 'default', action: 'created', resource: auditedUser(row) })
    return { row, invitation: await createInvitation(db, store, row.id) }
  })
}

/**
 * Empty if the person with this address was deleted between the two statements; the client may then send the
 * request again.
 */
async function userIdByAddress(db: Kysely<Tables>, emailAddress: string): Promise<string> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('email_address', '=', emailAddress)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.id ?? ''
}

export const findUser = ({ db }: Pick<World, 'db'>, id: string): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst()

export const findUserByAddress = (
  { db }: Pick<World, 'db'>,
  emailAddress: string,
): Promise<UserRow | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where('email_address', '=', normalizeEmailAddress(emailAddress))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

export interface UserFilter {
  /** Part of the name or the address. */
  search: string | null
  /** Only people who are limited to some of these merchant accounts; empty: all people. */
  accountIds: readonly string[]
}

/** A page of people, the newest first. */
export function listUsers(
  { db }: Pick<World, 'db'>,
  { search, accountIds }: UserFilter,
  page: PageRequest,
): Promise<UserRow[]> {
  const pattern = search === null ? null : containing(search)
  return db
    .selectFrom('users')
    .selectAll()
    .where('deleted_at', 'is', null)
    .$if(accountIds.length > 0, (query) =>
      query
        .where(sql<boolean>`merchant_account_ids <@ ${[...accountIds]}::text[]`)
        .where(sql<boolean>`cardinality(merchant_account_ids) > 0`),
    )
    .$if(pattern !== null, (query) =>
      query.where((where) =>
        where.or([where('name', 'ilike', pattern), where('email_address', 'ilike', pattern)]),
      ),
    )
    .$call(newestFirst(page))
    .execute()
}

export interface UserChanges {
  name?: string | undefined
  /** Slugs of roles. */
  roleIds?: string[] | undefined
  merchantAccountIds?: string[] | undefined
}

/**
 * The requested list; the current one if none is requested, or if the two have the same members in another
 * order.
 */
const keepIfSameMembers = (current: string[], requested: string[] | undefined): string[] =>
  requested && !hasSameMembers(requested, current) ? requested : current

/**
 * Changes a person. `check` gets the locked row, and throws if the caller may not change it. A session has
 * the roles and merchant accounts that it began with: if they change, the person's sessions end, except
 * `keptSession`. So does a link that resets them: whoever made it may lack what the person may do now. An invitation
 * that was not accepted yet stays good.
 */
export async function updateUser(
  store: UserStore,
  id: string,
  changes: UserChanges,
  check: (row: UserRow | undefined) => UserRow,
  keptSession?: string,
): Promise<UserRow> {
  const row = await store.db.transaction().execute(async (db) => {
    const current = check(await lockUser(db, id))
    const next = {
      name: changes.name ?? current.name,
      role_ids: keepIfSameMembers(current.role_ids, changes.roleIds),
      merchant_account_ids: keepIfSameMembers(current.merchant_account_ids, changes.merchantAccountIds),
    }
    if (!wouldChange(current, next)) return current
    const row = await db
      .updateTable('users')
      .set({ ...next, updated_at: timeOf(store.clock) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (isAdministratorUser(current) && !isAdministratorUser(row))
      await refuseLosingLastAdministrator(db, store)
    const assigned =
      !hasSameMembers(next.role_ids, current.role_ids) ||
      !hasSameMembers(next.merchant_account_ids, current.merchant_account_ids)
    if (assigned) {
      if (current.status === 'active') await deleteInvitation(db, id)
      await endSessions(db, id, keptSession)
      await recordChange(db, store, {
        ...userChange(row, auditedAssignments(current), auditedAssignments(row)),
        resource: { ...auditedUser(row), type: 'role-assignment' },
      })
    }
    if (!assigned || next.name !== current.name)
      await recordChange(db, store, userChange(row, { name: current.name }, { name: row.name }))
    return row
  })
  store.changes.invalidate('users')
  return row
}

/** A person's roles and merchant accounts, for the audit log. */
const auditedAssignments = ({ role_ids, merchant_account_ids }: UserRow): UserValues => ({
  roles: role_ids.join(', '),
  merchant_accounts: merchant_account_ids.join(', ') || 'all',
})

/**
 * Deletes a person. The row stays for the audit log, without password, authenticator app and passkeys; the address may
 * be invited again.
 */
export async function deleteUser(
  store: UserStore,
  id: string,
  check: (row: UserRow | undefined) => UserRow,
): Promise<void> {
  await store.db.transaction().execute(async (db) => {
    const current = check(await lockUser(db, id))
    const now = timeOf(store.clock)
    await db
      .updateTable('users')
      .set({
        status: 'deleted',
        password_hash: null,
        former_password_hashes: [],
        totp_secret: null,
        totp_candidate: null,
        deleted_at: now,
        updated_at: now,
      })
      .where('id', '=', id)
      .execute()
    if (isAdministratorUser(current)) await refuseLosingLastAdministrator(db, store)
    await deleteInvitation(db, id)
    await deletePasskeys(db, id)
    await endSessions(db, id)
    await recordChange(db, store, { account: 'default', action: 'deleted', resource: auditedUser(current) })
  })
  store.changes.invalidate('users')
}

/**
 * Makes a new link, which replaces the earlier one, and ends the person's sessions, except `keptSession`: a
 * reset is the answer to a stolen browser, too. The password and the authenticator app are replaced when the
 * link is used, not before.
 */
export async function renewInvitation(
  store: UserStore,
  id: string,
  check: (row: UserRow | undefined) => UserRow,
  keptSession?: string,
) {
  const invited = await store.db.transaction().execute(async (db) => {
    const row = check(await lockUser(db, id))
    await endSessions(db, id, keptSession)
    await recordChange(db, store, userChange(row, {}, { invitation: 'new' }))
    return { row, invitation: await createInvitation(db, store, id) }
  })
  store.changes.invalidate('users')
  return invited
}
