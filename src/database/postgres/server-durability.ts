import type { Settings } from '../../settings.ts'
import { type Database, UnusableDatabase } from '../database.ts'

const selectUnsafeSettings = `
select name
  from pg_settings
 where name in ('fsync', 'full_page_writes')
   and setting = 'off'
 order by name`

/**
 * What the database server may lose when its machine fails. A connection cannot switch these settings on. The
 * settings are the server's that answers: standbys need the same.
 */
export async function durabilityProblems({ run }: Pick<Database, 'run'>): Promise<string[]> {
  const off = await run<{ name: string }>(selectUnsafeSettings, [])
  return off.map(
    ({ name }) =>
      `the database server runs with ${name}=off: payments that were answered may be lost, or the database broken, when its machine fails. Set ${name} = on in postgresql.conf and reload the server (select pg_reload_conf())`,
  )
}

/**
 * Production refuses a server that may lose commits; the sandbox starts, and `railyard start` warns. Closes a
 * refused database. Throws `UnusableDatabase`.
 */
export async function refuseUnsafeServer(
  database: Database,
  { environment, databaseUrl }: Pick<Settings, 'environment' | 'databaseUrl'>,
): Promise<Database> {
  if (environment !== 'production' || !databaseUrl) return database
  const problems = await durabilityProblems(database)
  if (problems.length === 0) return database
  await database.close()
  throw new UnusableDatabase(problems.join('; '))
}
