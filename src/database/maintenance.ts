import type pg from 'pg'

const INTERVAL_MS = 60_000

/** PostgreSQL's own rules for when a table needs it (autovacuum_vacuum_threshold and _scale_factor, and those of analyze). */
const due = `
select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
 where n_dead_tup > 50 + 0.2 * n_live_tup or n_mod_since_analyze > 50 + 0.1 * n_live_tup`

/**
 * The embedded database is one session without background workers, so nobody vacuums or analyzes unless we do. 100,000 dead rows take it
 * about 40 ms, in which payments wait.
 */
export function maintain(pool: pg.Pool): { stop(): void } {
  const timer = setInterval(() => {
    // a table that could not be vacuumed is as it was; the next round tries again
    vacuumDue(pool).catch(() => undefined)
  }, INTERVAL_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/** Vacuums and analyzes what is due, one table after the other; answers their names. */
export async function vacuumDue(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(due)
  for (const { name } of rows) await pool.query(`vacuum (analyze) ${name}`)
  return rows.map(({ name }) => name)
}

const FIRST_MS = 2_000

const neverAnalyzed = `
select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
 where last_analyze is null and last_autoanalyze is null and n_mod_since_analyze > 50`

const paymentsAreKnown = `
select 1 from pg_stat_user_tables where relname = 'transactions' and (last_analyze is not null or last_autoanalyze is not null)`

/**
 * Of a table without statistics the planner takes any index that begins with the account for as good as the primary key, and prepared statements keep
 * what it chose: settling a payment read all of the account's rows (17 ms instead of 0.8 at 5,000) until PostgreSQL analyzed by itself, a minute or more after the first
 * payments. So the first rows of a new database are analyzed within seconds. It ends when payments have been.
 */
export function analyzeEarly(pool: pg.Pool): { stop(): void } {
  const timer = setInterval(async () => {
    // whoever cannot be asked now is asked again
    if (await analyzeNew(pool).catch(() => false)) clearInterval(timer)
  }, FIRST_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/** Analyzes tables that have rows and never were; answers whether payments are among those that have been. */
export async function analyzeNew(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ name: string }>(neverAnalyzed)
  for (const { name } of rows) await pool.query(`analyze ${name}`)
  return (await pool.query(paymentsAreKnown)).rows.length > 0
}
