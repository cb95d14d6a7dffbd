import { createHash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { PageRequest } from '../../api/pagination.ts'
import { currentRequest } from '../../api/request/request-context.ts'
import { timeOf } from '../../base/clock.ts'
import { changeWithAudit, recordChange } from '../../database/logs/audit-log.ts'
import { newestFirst } from '../../database/rows/newest-first.ts'
import type { UserSessionTable } from '../../database/tables/accounts.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type { UserRow } from '../users/user.ts'
import { sessionChange } from './sign-in-audit.ts'

const MINUTE_MS = 60_000
/** A session ends after this long without a request (PCI DSS 8.2.8: at most 15 minutes). */
const IDLE_MS = 15 * MINUTE_MS
/** A session ends after this long in any case: a working day. */
const MAX_MS = 12 * 60 * MINUTE_MS
/** `last_seen_at` is written this often, not with every request. */
const USE_RECORDED_EVERY_MS = MINUTE_MS

/** Enough of a user agent to recognize a browser. */
const USER_AGENT_LENGTH = 200

/** 256 random bits for a cookie or a link. The database has the hash only. */
export const newRandomToken = (): string => randomBytes(32).toString('base64url')
export const hashRandomToken = (secret: string): Buffer => createHash('sha256').update(secret).digest()

export interface OpenedSession {
  id: string
  method: UserSessionTable['method']
  /** What the cookie holds. */
  token: string
  expiresAt: string
}

/**
 * Opens a session with a new token, so that a cookie planted before the sign-in is worth nothing. `db` is the
 * database transaction that holds the user's row; the person is the actor of the request.
 */
export async function openSession(
  db: Kysely<Tables>,
  { clock, ids }: Pick<World, 'clock' | 'ids'>,
  userId: string,
  method: NonNullable<UserSessionTable['method']>,
): Promise<OpenedSession> {
  const token = newRandomToken()
  const now = timeOf(clock)
  const request = currentRequest()
  const session = { id: ids.next(), expires_at: new Date(clock.now() + MAX_MS).toISOString() }
  await db
    .insertInto('user_sessions')
    .values({
      ...session,
      token_hash: hashRandomToken(token),
      user_id: userId,
      created_at: now,
      last_seen_at: now,
      method,
      ip_address: request?.address ?? null,
      user_agent: request?.userAgent?.slice(0, USER_AGENT_LENGTH) ?? null,
    })
    .execute()
  await recordChange(db, { clock, ids }, sessionChange('created', session.id))
  return { id: session.id, method, token, expiresAt: session.expires_at }
}

/**
 * Ends a person's sessions, except `keptSession`. The caller announces the change of `users` after it has
 * committed.
 */
export const endSessions = async (db: Kysely<Tables>, userId: string, keptSession?: string): Promise<void> =>
  void (await db
    .deleteFrom('user_sessions')
    .where('user_id', '=', userId)
    .$if(keptSession !== undefined, (query) => query.where('id', '!=', keptSession ?? ''))
    .execute())

/** A page of a person's sessions that have not ended, the newest first. */
export const listSessions = ({ db, clock }: Pick<World, 'db' | 'clock'>, userId: string, page: PageRequest) =>
  db
    .selectFrom('user_sessions')
    .select(['id', 'method', 'ip_address', 'user_agent', 'created_at', 'last_seen_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', timeOf(clock))
    .where('last_seen_at', '>', idleSince(clock))
    .$call(newestFirst(page))
    .execute()

/** Ends one session of a person, who signs out. False if the person has no such session. */
export async function endSession(world: World, userId: string, id: string): Promise<boolean> {
  const ended = await changeWithAudit(
    world,
    (db) =>
      db
        .deleteFrom('user_sessions')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .returning('id')
        .executeTakeFirst(),
    () => sessionChange('deleted', id),
  )
  world.changes.invalidate('users')
  return ended !== undefined
}

/** Sessions without a request since this time (ISO 8601) have ended. */
const idleSince = (clock: World['clock']): string => new Date(clock.now() - IDLE_MS).toISOString()

export interface ActiveSession {
  id: string
  method: UserSessionTable['method']
  expiresAt: string
  user: UserRow
  /** Until then this process need not write again that the session is used; milliseconds. */
  useRecordedUntil: number
}

/**
 * The session of this token with its person; undefined if it has ended. `isUse`: it counts as used, and so stays
 * open for another while. Cached: ending a session announces a change of `users`, which drops every process's
 * copy.
 */
export async function findActiveSession(
  world: World,
  token: string,
  isUse: boolean,
): Promise<ActiveSession | undefined> {
  const hash = hashRandomToken(token)
  const session = await world.cache.get('users', hash.toString('base64'), () => readSession(world, hash))
  if (!session || Date.parse(session.expiresAt) <= world.clock.now()) return undefined
  if (session.useRecordedUntil > world.clock.now()) return session
  if (!isUse) return (await isInUse(world, session.id)) ? session : undefined
  if (!(await recordSessionUse(world, session.id))) return undefined
  // changes the cached object, so that this process's next requests see it
  session.useRecordedUntil = world.clock.now() + USE_RECORDED_EVERY_MS
  return session
}

async function readSession({ db }: World, hash: Buffer): Promise<ActiveSession | undefined> {
  const session = await db
    .selectFrom('user_sessions')
    .select(['id', 'user_id', 'method', 'expires_at', 'last_seen_at'])
    .where('token_hash', '=', hash)
    .executeTakeFirst()
  const user =
    session &&
    (await db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', session.user_id)
      .where('status', '=', 'active')
      .executeTakeFirst())
  return (
    user && {
      id: session.id,
      method: session.method,
      expiresAt: session.expires_at,
      user,
      useRecordedUntil: Date.parse(session.last_seen_at) + USE_RECORDED_EVERY_MS,
    }
  )
}

/** Whether a person has used the session lately; asked of the table, since another process may have seen it. */
async function isInUse({ db, clock }: World, id: string): Promise<boolean> {
  const used = await db
    .selectFrom('user_sessions')
    .select('id')
    .where('id', '=', id)
    .where('last_seen_at', '>', idleSince(clock))
    .executeTakeFirst()
  return used !== undefined
}

/**
 * False if the session was idle for too long. The statement decides: another process may have recorded a use
 * since this one read the row.
 */
async function recordSessionUse({ db, clock }: World, id: string): Promise<boolean> {
  const updated = await db
    .updateTable('user_sessions')
    .set({ last_seen_at: timeOf(clock) })
    .where('id', '=', id)
    .where('last_seen_at', '>', idleSince(clock))
    .returning('id')
    .executeTakeFirst()
  return updated !== undefined
}

/** Deletes sessions that have ended, and invitations, sign-in links and challenges that have expired. */
export async function deleteEndedSessions({ db, clock }: Pick<World, 'db' | 'clock'>): Promise<void> {
  const now = timeOf(clock)
  await db
    .deleteFrom('user_sessions')
    .where((where) =>
      where.or([where('expires_at', '<=', now), where('last_seen_at', '<=', idleSince(clock))]),
    )
    .execute()
  await db.deleteFrom('user_invitations').where('expires_at', '<=', now).execute()
  await db.deleteFrom('sign_in_links').where('expires_at', '<=', now).execute()
  await db.deleteFrom('passkey_challenges').where('expires_at', '<=', now).execute()
}
