import type pg from 'pg'

const INTERVAL_MS = 60_000

/** PostgreSQL's own rules for when a table needs it (autovacuum_vacuum_threshold and _scale_factor, and those of analyze). */
const selectDueTables = `
select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
 where n_dead_tup > 50 + 0.2 * n_live_tup or n_mod_since_analyze > 50 + 0.1 * n_live_tup`

/**
 * The embedded database is one session without background workers, so nobody vacuums or analyzes unless we do. 100,000 dead rows take it
 * about 40 ms, in which payments wait.
 */
export function startVacuum(pool: pg.Pool): { stop(): void } {
  const timer = setInterval(() => {
    // a table that could not be vacuumed is as it was; the next round tries again
    vacuumDue(pool).catch(() => undefined)
  }, INTERVAL_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/** Vacuums and analyzes what is due, one table after the other; answers their names. */
export async function vacuumDue(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(selectDueTables)
  for (const { name } of rows) await pool.query(`vacuum (analyze) ${name}`)
  return rows.map(({ name }) => name)
}

const EARLY_MS = 2_000

/**
 * Tables with several indexes that begin with the account: most of one has come since it was last analyzed, and it is too large to be read whole (of a table of
 * few pages the planner would learn to do that).
 */
const growing = `
select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
 where relname in ('transactions', 'operations', 'payment_methods') and n_mod_since_analyze >= greatest(1000, n_live_tup * 0.75)`

/** From here on PostgreSQL's own rules are soon enough. */
const paymentsAreMany = `select 1 from pg_stat_user_tables where relname = 'transactions' and n_live_tup >= 20000`

/**
 * Of a table without statistics the planner takes any index that begins with the account for as good as the primary key, and prepared statements keep
 * what it chose: settling a payment read all of the account's rows (17 ms instead of 0.8 at 5,000) until PostgreSQL analyzed by itself, a minute or more after the first
 * payments. So a young database is analyzed as it grows. It ends when payments are many.
 */
export function startEarlyAnalyze(pool: pg.Pool): { stop(): void } {
  const timer = setInterval(async () => {
    // whoever cannot be asked now is asked again
    if (await analyzeGrowing(pool).catch(() => false)) clearInterval(timer)
  }, EARLY_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/** Analyzes tables that have grown; answers whether payments are so many that nobody need look any more. */
export async function analyzeGrowing(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ name: string }>(growing)
  for (const { name } of rows) await pool.query(`analyze ${name}`)
  return (await pool.query(paymentsAreMany)).rows.length > 0
}
