import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { ResourceTable } from './write-changes.ts'

/** Deletes a row of a merchant account and returns it. Undefined: the account has no row of this id. */
export async function deleteRow<T extends ResourceTable>(
  db: Kysely<Tables>,
  table: T,
  account: string,
  id: string,
): Promise<Selectable<Tables[T]> | undefined> {
  const { rows } = await sql<Selectable<Tables[T]>>`
    delete from ${sql.table(table)}
     where merchant_account_id = ${account}
       and id = ${id}
    returning *`.execute(db)
  return rows[0]
}
