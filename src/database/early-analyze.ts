import type pg from 'pg'

const EARLY_MS = 2_000

/**
 * Tables with several indexes that begin with the account, most of whose rows are newer than the last
 * analyze. Small tables are left out: the planner would learn to read them whole.
 */
const selectGrowing = `
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
  const { rows } = await pool.query<{ name: string }>(selectGrowing)
  for (const { name } of rows) await pool.query(`analyze ${name}`)
}
