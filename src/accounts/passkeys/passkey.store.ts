import type { Kysely, Selectable } from 'kysely'
import type { PageRequest } from '../../api/pagination.ts'
import { timeOf } from '../../base/clock.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import { newestFirst } from '../../database/rows/newest-first.ts'
import type { UserPasskeyTable } from '../../database/tables/accounts.ts'
import type { Tables } from '../../database/tables.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import { endSessions } from '../sign-in/session.store.ts'
import { lockUser } from '../users/lock-user.ts'
import type { Passkey } from './passkey.schema.ts'

export type PasskeyRow = Selectable<UserPasskeyTable>

export const showPasskey = ({ id, name, created_at, last_used_at }: PasskeyRow): Passkey => ({
  type: 'passkey',
  id,
  name,
  created_at: timestamp(created_at),
  last_used_at: last_used_at === null ? null : timestamp(last_used_at),
})

const auditedPasskey = ({ id, name }: Pick<PasskeyRow, 'id' | 'name'>) => ({ type: 'passkey', id, name })

/** A page of a person's passkeys, the newest first. */
export const listPasskeys = (
  { db }: Pick<World, 'db'>,
  userId: string,
  page: PageRequest,
): Promise<PasskeyRow[]> =>
  db.selectFrom('user_passkeys').selectAll().where('user_id', '=', userId).$call(newestFirst(page)).execute()

/** All passkeys of a person, for their browser to leave out. */
export const allPasskeys = ({ db }: { db: Kysely<Tables> }, userId: string): Promise<PasskeyRow[]> =>
  db.selectFrom('user_passkeys').selectAll().where('user_id', '=', userId).execute()

/** The passkey with the id that its authenticator chose, and its person; undefined if it is unknown. */
export const findPasskey = (
  { db }: Pick<World, 'db'>,
  credentialId: Buffer,
): Promise<PasskeyRow | undefined> =>
  db.selectFrom('user_passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()

export type NewPasskey = Pick<PasskeyRow, 'name' | 'credential_id' | 'public_key' | 'counter' | 'transports'>

/**
 * Adds a passkey, which counts as both factors from now on: for this session, too, since the authenticator
 * has verified the person. Every other session ends. Undefined if a passkey with this id exists, the session has
 * ended meanwhile, or the person was deleted.
 */
export async function insertPasskey(
  world: World,
  userId: string,
  passkey: NewPasskey,
  session: string,
): Promise<PasskeyRow | undefined> {
  const added = await world.db.transaction().execute(async (db) => {
    if ((await lockUser(db, userId))?.status !== 'active') return undefined
    // with a new password, say, other sessions end: none of them leaves a passkey behind
    const own = db.selectFrom('user_sessions').select('id').where('id', '=', session)
    if (!(await own.executeTakeFirst())) return undefined
    const row = await db
      .insertInto('user_passkeys')
      .values({ ...passkey, id: world.ids.next(), user_id: userId, created_at: timeOf(world.clock) })
      .onConflict((conflict) => conflict.column('credential_id').doNothing())
      .returningAll()
      .executeTakeFirst()
    if (!row) return undefined
    await db.updateTable('user_sessions').set({ method: 'passkey' }).where('id', '=', session).execute()
    await endSessions(db, userId, session)
    await recordChange(db, world, { account: 'default', action: 'created', resource: auditedPasskey(row) })
    return row
  })
  world.changes.invalidate('users')
  return added
}

/**
 * Removes a passkey; every other session ends, and after the last one this session counts as opened with a
 * password. False if the person has no such passkey.
 */
export async function deletePasskey(
  world: World,
  userId: string,
  id: string,
  session: string,
): Promise<boolean> {
  const removed = await world.db.transaction().execute(async (db) => {
    const row = await db
      .deleteFrom('user_passkeys')
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .returning(['id', 'name'])
      .executeTakeFirst()
    if (!row) return false
    await endSessions(db, userId, session)
    if ((await allPasskeys({ db }, userId)).length === 0)
      await db.updateTable('user_sessions').set({ method: 'password' }).where('id', '=', session).execute()
    await recordChange(db, world, { account: 'default', action: 'deleted', resource: auditedPasskey(row) })
    return true
  })
  world.changes.invalidate('users')
  return removed
}

/** Removes a person's passkeys: the person is deleted, or begins again with an invitation. */
export const deletePasskeys = async (db: Kysely<Tables>, userId: string): Promise<void> =>
  void (await db.deleteFrom('user_passkeys').where('user_id', '=', userId).execute())

/**
 * Records a sign-in with a passkey. False if its counter has not grown since: the answer was sent twice, or a
 * copy of the authenticator signs, too (WebAuthn §6.1.1). The statement decides between two processes.
 */
export async function recordPasskeyUse(
  db: Kysely<Tables>,
  { clock }: Pick<World, 'clock'>,
  id: string,
  counter: number,
): Promise<boolean> {
  const used = await db
    .updateTable('user_passkeys')
    .set({ counter, last_used_at: timeOf(clock) })
    .where('id', '=', id)
    .$if(counter > 0, (query) => query.where('counter', '<', counter))
    .$if(counter === 0, (query) => query.where('counter', '=', 0))
    .returning('id')
    .executeTakeFirst()
  return used !== undefined
}
