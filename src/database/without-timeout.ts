import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** Reads that take longer than a statement of a request may. They lock nothing that payments wait for. */
export const withoutTimeout = <T>(db: Kysely<Tables>, read: (tx: Kysely<Tables>) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    return read(tx)
  })
