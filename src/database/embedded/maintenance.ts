import type pg from 'pg'

const INTERVAL_MS = 60_000

/**
 * PostgreSQL's own rules for the tables that need it (autovacuum_vacuum_threshold and _scale_factor, and
 * those of analyze).
 */
const selectDueTables = `
select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
 where n_dead_tup > 50 + 0.2 * n_live_tup or n_mod_since_analyze > 50 + 0.1 * n_live_tup`

/**
 * The embedded database is one session without background workers, so this process must vacuum and analyze.
 * 100,000 dead rows take about 40 ms, in which payments wait.
 */
export function startVacuum(pool: pg.Pool): { stop(): void } {
  const timer = setInterval(() => {
    // a table that could not be vacuumed is unchanged; the next round tries again
    vacuumDue(pool).catch(() => undefined)
  }, INTERVAL_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/** Vacuums and analyzes the tables that are due, one after the other. Returns their names. */
export async function vacuumDue(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(selectDueTables)
  for (const { name } of rows) await pool.query(`vacuum (analyze) ${name}`)
  return rows.map(({ name }) => name)
}

const EARLY_MS = 2_000

/**
 * Tables with several indexes that begin with the account, most of whose rows are newer than the last
 * analyze. Small tables are left out: the planner would learn to read them whole.
 */
const growing = `
select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
 where relname ~ '^(transactions|operations|payment_methods)(_p[0-9]+)?$' and n_mod_since_analyze >= greatest(1000, n_live_tup * 0.75)`

/**
 * Without statistics the planner takes any index that begins with the account for as good as the primary key,
 * and prepared statements keep that plan: recording an outcome read all rows of the account (17 ms instead of
 * 0.8 at 5,000) until PostgreSQL analyzed the tables, a minute or more after the first payments. So a young
 * database is analyzed as it grows, and so is a partition that begins to fill.
 */
export function startEarlyAnalyze(pool: pg.Pool): { stop(): void } {
  const timer = setInterval(() => {
    // a database that does not answer now is asked again later
    analyzeGrowing(pool).catch(() => undefined)
  }, EARLY_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/** Analyzes tables that have grown. */
export async function analyzeGrowing(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(growing)
  for (const { name } of rows) await pool.query(`analyze ${name}`)
}
