import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { partitionedTables } from './partitioned-tables.ts'

/**
 * Why this role may not divide the tables of payments or drop their partitions, which only their owner may.
 * Undefined: it may.
 */
export async function ownershipProblem(db: Kysely<Tables>): Promise<string | undefined> {
  const names = partitionedTables.map(({ table }) => table)
  const { rows } = await sql<{ role: string; owner: string; table: string }>`
    select current_user as role,
           pg_get_userbyid(relowner) as owner,
           relname as "table"
      from pg_class
     where oid = any(array(select to_regclass(name) from unnest(${names}::text[]) as name))
       and not pg_has_role(relowner, 'usage')
     limit 1`.execute(db)
  const [first] = rows
  return (
    first &&
    `the role ${first.role} of DATABASE_URL does not own the table ${first.table}: only ${first.owner} may divide the tables of payments and retire payments`
  )
}
