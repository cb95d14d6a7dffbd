import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** Runs `work` on a connection whose statements may take longer, each in a transaction of its own. */
export const onConnectionWithoutTimeout = <T>(
  db: Kysely<Tables>,
  work: (connection: Kysely<Tables>) => Promise<T>,
): Promise<T> =>
  db.connection().execute(async (connection) => {
    const { rows } = await sql<{ timeout: string }>`
      select current_setting('statement_timeout') as timeout,
             set_config('statement_timeout', '0', false)`.execute(connection)
    try {
      return await work(connection)
    } finally {
      await sql`select set_config('statement_timeout', ${rows[0]?.timeout ?? '0'}, false)`.execute(connection)
    }
  })

/**
 * Runs `work` in a database transaction whose statements may take longer than those of a request. They must lock
 * nothing that payments wait for.
 */
export const withoutTimeout = <T>(db: Kysely<Tables>, work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    return work(tx)
  })
