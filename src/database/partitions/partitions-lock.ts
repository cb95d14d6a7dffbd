import { type Kysely, sql } from 'kysely'
import type { World } from '../../world.ts'
import type { Tables } from '../tables.ts'

const LOCK = sql.raw(`hashtextextended('railyard partitions', 0)`)

/**
 * Runs `work` while no other process cuts or drops partitions. Undefined: another one does, or clocks of accounts
 * were moved.
 */
export async function withPartitionsLocked<T>(
  { db, settings }: Pick<World, 'db' | 'settings'>,
  work: (connection: Kysely<Tables>) => Promise<T>,
): Promise<T | undefined> {
  const unlessMoved = async (connection: Kysely<Tables>) =>
    (await hasMovedClocks(connection)) ? undefined : work(connection)
  // the embedded database has one process, and one connection, for which every request would wait
  if (settings.databaseUrl === undefined) return unlessMoved(db)
  return db.connection().execute(async (connection) => {
    if (!(await tryLock(connection))) return undefined
    try {
      return await unlessMoved(connection)
    } finally {
      await sql`select pg_advisory_unlock(${LOCK})`.execute(connection)
    }
  })
}

async function tryLock(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_lock(${LOCK}) as taken`.execute(db)
  return rows[0]?.taken === true
}

/** Accounts of the sandbox that live in the future have ids beyond any bound. */
const hasMovedClocks = async (db: Kysely<Tables>): Promise<boolean> =>
  (await db.selectFrom('account_clocks').select('merchant_account_id').limit(1).execute()).length > 0
