import type { World } from '../../src/world.ts'

const selectReads = `
select relname as name, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as read from pg_stat_user_tables`

/** The number of rows read so far, by table. Connections of PostgreSQL report what they have read late. */
export async function rowsRead({ run }: Pick<World, 'run'>): Promise<Map<string, number>> {
  await run('select pg_stat_force_next_flush()', [])
  const rows = await run<{ name: string; read: number }>(selectReads, [])
  return new Map(rows.map(({ name, read }) => [name, read]))
}
