import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** Runs `work` on a connection of its own without these time limits, each statement in a transaction of its own. */
export const onConnectionWithout = <T>(
  limits: readonly ('statement_timeout' | 'lock_timeout')[],
  db: Kysely<Tables>,
  work: (connection: Kysely<Tables>) => Promise<T>,
): Promise<T> =>
  db.connection().execute(async (connection) => {
    const { rows } = await sql<{ name: string; before: string }>`
      select name, current_setting(name) as before from unnest(${limits}::text[]) as name`.execute(connection)
    const set = async (name: string, value: string) =>
      void (await sql`select set_config(${name}, ${value}, false)`.execute(connection))
    for (const { name } of rows) await set(name, '0')
    try {
      return await work(connection)
    } finally {
      for (const { name, before } of rows) await set(name, before)
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
