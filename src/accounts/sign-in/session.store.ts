import { createHash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { timeOf } from '../../base/clock.ts'
import { changeWithAudit, recordChange } from '../../database/logs/audit-log.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type { UserRow } from '../users/user.ts'
import { sessionChange } from './sign-in-audit.ts'

const MINUTE_MS = 60_000
/** A session ends after so long without a request (PCI DSS 8.2.8: at most 15 minutes). */
const IDLE_MS = 15 * MINUTE_MS
/** And after so long in any case: a working day. */
const MAX_MS = 12 * 60 * MINUTE_MS
/** How often it is noted that a session is used: a write for every request would be one too many. */
const USE_RECORDED_EVERY_MS = MINUTE_MS

/** 256 random bits, as a cookie or a link holds them; the database has the hash alone. */
export const newRandomToken = (): string => randomBytes(32).toString('base64url')
export const hashRandomToken = (secret: string): Buffer => createHash('sha256').update(secret).digest()

export interface OpenedSession {
  id: string
  /** What the cookie holds. */
  token: string
  expiresAt: string
}

/** A new one each time: what a browser held before somebody signed in is worth nothing. `db` is the transaction that holds the user's row; the person is the actor of the request. */
export async function openSession(db: Kysely<Tables>, { clock, ids }: Pick<World, 'clock' | 'ids'>, userId: string): Promise<OpenedSession> {
  const token = newRandomToken()
  const now = timeOf(clock)
  const session = { id: ids.next(), expires_at: new Date(clock.now() + MAX_MS).toISOString() }
  await db
    .insertInto('user_sessions')
    .values({ ...session, token_hash: hashRandomToken(token), user_id: userId, created_at: now, last_seen_at: now })
    .execute()
  await recordChange(db, { clock, ids }, sessionChange('created', session.id))
  return { id: session.id, token, expiresAt: session.expires_at }
}

/** `db` is the transaction of what ends them; afterwards `users` is announced. */
export const endSessions = async (db: Kysely<Tables>, userId: string, kept?: string): Promise<void> =>
  void (await db
    .deleteFrom('user_sessions')
    .where('user_id', '=', userId)
    .$if(kept !== undefined, (query) => query.where('id', '!=', kept ?? ''))
    .execute())

/** A person signs out. */
export async function endSession(world: World, id: string): Promise<void> {
  await changeWithAudit(
    world,
    (db) => db.deleteFrom('user_sessions').where('id', '=', id).returning('id').executeTakeFirst(),
    () => sessionChange('deleted', id),
  )
  world.changes.invalidate('users')
}

export interface ActiveSession {
  id: string
  expiresAt: string
  user: UserRow
  /** Until when this process need not note again that it is used, in milliseconds. */
  useRecordedUntil: number
}

/** The session of this token, and whose it is; undefined where it has ended. What ends one is announced as `users`, which drops the copies of every process. */
export async function findActiveSession(world: World, token: string): Promise<ActiveSession | undefined> {
  const hash = hashRandomToken(token)
  const known = await world.cache.get('users', hash.toString('base64'), () => readSession(world, hash))
  if (!known || Date.parse(known.expiresAt) <= world.clock.now()) return undefined
  if (known.useRecordedUntil > world.clock.now()) return known
  if (!(await recordSessionUse(world, known.id))) return undefined
  // of the copy itself, so that the next requests of this process find it
  known.useRecordedUntil = world.clock.now() + USE_RECORDED_EVERY_MS
  return known
}

async function readSession({ db }: World, hash: Buffer): Promise<ActiveSession | undefined> {
  const session = await db
    .selectFrom('user_sessions')
    .select(['id', 'user_id', 'expires_at', 'last_seen_at'])
    .where('token_hash', '=', hash)
    .executeTakeFirst()
  const user =
    session && (await db.selectFrom('users').selectAll().where('id', '=', session.user_id).where('status', '=', 'active').executeTakeFirst())
  return user && { id: session.id, expiresAt: session.expires_at, user, useRecordedUntil: Date.parse(session.last_seen_at) + USE_RECORDED_EVERY_MS }
}

/** The statement decides whether the session has been idle for too long: another process may have seen it since. */
async function recordSessionUse({ db, clock }: World, id: string): Promise<boolean> {
  const noted = await db
    .updateTable('user_sessions')
    .set({ last_seen_at: timeOf(clock) })
    .where('id', '=', id)
    .where('last_seen_at', '>', new Date(clock.now() - IDLE_MS).toISOString())
    .returning('id')
    .executeTakeFirst()
  return noted !== undefined
}

/** Rows that open nothing any more. */
export async function deleteEndedSessions({ db, clock }: Pick<World, 'db' | 'clock'>): Promise<void> {
  const now = timeOf(clock)
  await db
    .deleteFrom('user_sessions')
    .where((where) => where.or([where('expires_at', '<=', now), where('last_seen_at', '<=', new Date(clock.now() - IDLE_MS).toISOString())]))
    .execute()
  await db.deleteFrom('user_invitations').where('expires_at', '<=', now).execute()
}
