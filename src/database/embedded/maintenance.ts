import type pg from 'pg'
import { type PeriodicTask, startPeriodicTask } from '../../base/periodic-task.ts'

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
export const startVacuum = (pool: pg.Pool): PeriodicTask =>
  startPeriodicTask(
    INTERVAL_MS,
    async () => (await vacuumDue(pool)).length,
    // a table that could not be vacuumed is unchanged; the next round tries again
    () => undefined,
  )

/** Vacuums and analyzes the tables that are due, one after the other. Returns their names. */
export async function vacuumDue(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(selectDueTables)
  for (const { name } of rows) await pool.query(`vacuum (analyze) ${name}`)
  return rows.map(({ name }) => name)
}
