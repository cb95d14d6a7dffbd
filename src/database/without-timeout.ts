import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/**
 * Runs `work` in a database transaction whose statements may take longer than those of a request. They must lock
 * nothing that payments wait for.
 */
export const withoutTimeout = <T>(db: Kysely<Tables>, work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    return work(tx)
  })
