import { setTimeout as wait } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { DEADLOCK, LOCK_NOT_AVAILABLE, QUERY_CANCELED } from '../error-codes.ts'
import type { Tables } from '../tables.ts'

/**
 * Every statement on the tables waits while a step waits for their locks: so long, and then the step lets them
 * pass and tries again.
 */
const LOCK_TIMEOUT = '200ms'
const RETRY_MS = 1_000
const lockErrors = new Set<string | undefined>([LOCK_NOT_AVAILABLE, DEADLOCK, QUERY_CANCELED])

/** Runs a step until it gets its lock. False: it did not until then. */
export async function underLock(until: number, step: () => Promise<void>): Promise<boolean> {
  for (;;) {
    try {
      await step()
      return true
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && lockErrors.has(error.code))) throw error
      if (performance.now() > until) return false
      await wait(RETRY_MS)
    }
  }
}

export const runScript = async (db: Kysely<Tables>, text: string): Promise<void> =>
  void (await sql.raw(text).execute(db))

export const quote = (name: string): string => pg.escapeIdentifier(name)

/**
 * Locks tables for this transaction alone. First come the locks that no statement of a payment waits for, and
 * autovacuum gives way to them; so the other ones wait for statements only, for all tables together no longer
 * than for one.
 */
export const lockTables = (tx: Kysely<Tables>, names: readonly string[]): Promise<void> => {
  const tables = names.map((name) => `only ${quote(name)}`).join(', ')
  return runScript(
    tx,
    `set local statement_timeout = 0;
set local lock_timeout = '10s';
lock table ${tables} in share update exclusive mode;
set local statement_timeout = '${LOCK_TIMEOUT}';
lock table ${tables} in access exclusive mode;
set local statement_timeout = 0`,
  )
}
