import { type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { Tables } from './tables.ts'
import { wouldChange } from './would-change.ts'

/** Tables whose rows are a merchant account's, under an id, and say when they were changed last. */
export type ResourceTable = {
  [T in keyof Tables]: Selectable<Tables[T]> extends { merchant_account_id: string; id: string; updated_at: string } ? T : never
}[keyof Tables]

/**
 * Writes `columns` on a row that the caller has locked, as of `now` (ISO 8601); members that are undefined stay. Undefined: they would change nothing (`wouldChange`), and nothing was
 * written. Answers the row as it is from now on.
 */
export async function writeChanges<T extends ResourceTable>(
  db: Kysely<Tables>,
  table: T,
  row: Selectable<Tables[T]> & { merchant_account_id: string; id: string },
  columns: Updateable<Tables[T]>,
  now: string,
): Promise<Selectable<Tables[T]> | undefined> {
  if (!wouldChange(row, columns)) return undefined
  const given = Object.entries({ ...columns, updated_at: now }).filter(([, value]) => value !== undefined)
  const assignments = given.map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  const { rows } = await sql<Selectable<Tables[T]>>`
    update ${sql.table(table)}
       set ${sql.join(assignments)}
     where merchant_account_id = ${row.merchant_account_id}
       and id = ${row.id}
    returning *`.execute(db)
  return rows[0]
}
