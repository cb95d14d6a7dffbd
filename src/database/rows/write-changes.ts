import { type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { Tables } from '../tables.ts'
import { wouldChange } from './would-change.ts'

/** Tables whose rows have a merchant account, an id and the time of their last change. */
export type ResourceTable = {
  [T in keyof Tables]: Selectable<Tables[T]> extends {
    merchant_account_id: string
    id: string
    updated_at: string
  }
    ? T
    : never
}[keyof Tables]

/**
 * Writes `columns` to a row that the caller has locked, with `updated_at` = `now` (ISO 8601); members that
 * are undefined stay. Returns the new row. Undefined: they would change nothing (`wouldChange`), and nothing
 * was written.
 */
export async function writeChanges<T extends ResourceTable>(
  db: Kysely<Tables>,
  table: T,
  row: Selectable<Tables[T]> & { merchant_account_id: string; id: string },
  columns: Updateable<Tables[T]>,
  now: string,
): Promise<Selectable<Tables[T]> | undefined> {
  if (!wouldChange(row, columns)) return undefined
  const values = Object.entries({ ...columns, updated_at: now }).filter(([, value]) => value !== undefined)
  const assignments = values.map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  const { rows } = await sql<Selectable<Tables[T]>>`
    update ${sql.table(table)}
       set ${sql.join(assignments)}
     where merchant_account_id = ${row.merchant_account_id}
       and id = ${row.id}
    returning *`.execute(db)
  return rows[0]
}
