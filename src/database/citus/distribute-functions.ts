import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

interface Undistributed {
  signature: string
  definition: string
  /** Of `sqlFunction`, which `createFunctions` creates again. */
  isVersioned: boolean
}

/**
 * The functions of the schema that the workers do not have, or that run on the coordinator alone: they are older than
 * the cluster, or were restored from a backup.
 */
const selectUndistributed = sql<Undistributed>`
select own.signature,
       pg_get_functiondef(own.oid) as definition,
       own."isVersioned"
  from (select p.oid,
               p.oid::regprocedure::text as signature,
               p.proname ~ '_[0-9a-f]{12}$' as "isVersioned"
          from pg_proc p
         where p.pronamespace = current_schema()::regnamespace
           and p.prokind = 'f'
           and not exists (select from pg_depend d
                            where d.classid = 'pg_proc'::regclass
                              and d.objid = p.oid
                              and d.deptype = 'e')) own
 where not exists (select from pg_dist_object o
                    where o.classid = 'pg_proc'::regclass
                      and o.objid = own.oid
                      and (not own."isVersioned" or o.distribution_argument_index is not null))`

export const hasUndistributedFunctions = async (db: Kysely<Tables>): Promise<boolean> =>
  (await selectUndistributed.execute(db)).rows.length > 0

/**
 * Gives the workers the functions that they lack: Citus sends a definition to them as it is made, so each is made
 * again. Those of `sqlFunction` are dropped, since `createFunctions` also has to say which account they are about.
 */
export async function distributeFunctions(db: Kysely<Tables>): Promise<void> {
  const { rows } = await selectUndistributed.execute(db)
  for (const { signature, definition, isVersioned } of rows)
    await sql.raw(isVersioned ? `drop function ${signature}` : definition).execute(db)
}
