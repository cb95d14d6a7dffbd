import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { ResourceTable } from './write-changes.ts'

/**
 * Locks a row of a merchant account for a change, until the database transaction `db` ends. Undefined: the
 * account has no row of this id.
 */
export async function lockRow<T extends ResourceTable>(
  db: Kysely<Tables>,
  table: T,
  account: string,
  id: string,
): Promise<Selectable<Tables[T]> | undefined> {
  const { rows } = await sql<Selectable<Tables[T]>>`
    select *
      from ${sql.table(table)}
     where merchant_account_id = ${account}
       and id = ${id}
       for update`.execute(db)
  return rows[0]
}
