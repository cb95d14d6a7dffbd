import { type Kysely, sql } from 'kysely'
import { UnusableDatabase } from '../database.ts'
import { fixedSettings } from '../postgres/prepare-session.ts'
import type { Tables } from '../tables.ts'

/** A worker that has not answered by then is not waited for. */
const ANSWER_WITHIN_MS = 3_000

/**
 * Gives the sessions that the coordinator opens at workers the settings of its own, which it does not pass on: with
 * another time zone times would be read wrong, and with another `synchronous_commit` an answered payment could be lost.
 * The role has them in this database, on every node. Called before anything else opens a session there. Throws
 * `UnusableDatabase` if a worker has others all the same.
 */
export async function prepareWorkerSessions(db: Kysely<Tables>): Promise<void> {
  if ((await differentSettings(db)).length === 0) return
  await withFreshSessions(db, async (tx) => {
    // processes that start together
    await sql`select pg_advisory_xact_lock(hashtextextended('railyard worker sessions', 0))`.execute(tx)
    const { rows } = await sql<{ name: string }>`select quote_ident(current_database()) as name`.execute(tx)
    for (const [setting, value] of Object.entries(fixedSettings))
      await sql
        .raw(`alter role current_user in database ${rows[0]?.name} set ${setting} = '${value}'`)
        .execute(tx)
  })
  const different = await differentSettings(db)
  if (different.length > 0)
    throw new UnusableDatabase(
      `sessions at the workers of Citus have other settings than Railyard needs: ${different.join('; ')}. Set them there for the role of DATABASE_URL: alter role … in database … set …`,
    )
}

/** What differs at the workers that answer, in words. */
async function differentSettings(db: Kysely<Tables>): Promise<string[]> {
  const names = Object.keys(fixedSettings)
  const read = `select json_build_object(${names.map((name) => `'${name}', current_setting('${name}')`).join(', ')})`
  const { rows } = await withFreshSessions(db, (tx) =>
    sql<{ node: string; result: string }>`
      select concat(nodename, ':', nodeport) as node,
             result
        from run_command_on_workers(${read})
       where success`.execute(tx),
  )
  return rows.flatMap(({ node, result }) => {
    const found: Record<string, string> = JSON.parse(result)
    return Object.entries(fixedSettings)
      .filter(([name, value]) => found[name] !== value)
      .map(([name]) => `${name} is ${found[name]} at ${node}`)
  })
}

/** Calls `work` in a transaction whose sessions at workers end with it: they have the settings of their beginning. */
const withFreshSessions = <T>(db: Kysely<Tables>, work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (tx) => {
    await sql`
      select set_config('citus.node_connection_timeout', ${String(ANSWER_WITHIN_MS)}, true),
             set_config('citus.max_cached_conns_per_worker', '0', true)`.execute(tx)
    return work(tx)
  })
