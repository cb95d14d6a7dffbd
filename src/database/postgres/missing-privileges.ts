import type { Database } from '../database.ts'

/** Partitions are reached through their tables, whose privileges count. */
const selectMissingPrivileges = `
select current_user as role,
       string_agg(distinct privilege || ' on ' || relname, ', ') as missing
  from pg_class
 cross join lateral unnest(
         case relkind
           when 'S' then array['select', 'usage']
           else array['select', 'insert', 'update', 'delete']
         end) as privilege
 where relnamespace = (select relnamespace from pg_class where oid = to_regclass('merchant_accounts'))
   and relowner = (select relowner from pg_class where oid = to_regclass('merchant_accounts'))
   and relkind in ('r', 'p', 'S')
   and not relispartition
   and not case relkind
         when 'S' then has_sequence_privilege(oid, privilege)
         else has_table_privilege(oid, privilege)
       end
having count(*) > 0`

/**
 * What the role of `DATABASE_URL` may not do with the tables of Railyard, as one sentence, or none. A start
 * uses few of them, so that a request would be the first to fail: after a migration by an owner whose default
 * privileges were forgotten, for example.
 */
export async function privilegeProblems({ run }: Pick<Database, 'run'>): Promise<string[]> {
  const rows = await run<{ role: string; missing: string }>(selectMissingPrivileges, [])
  return rows.map(
    (row) =>
      `the role ${row.role} of DATABASE_URL lacks privileges, and requests that need them fail: ${row.missing}. Grant it what docs/guides/deploy.md has under “Database roles”`,
  )
}
