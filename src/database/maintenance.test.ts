import { expect, test } from 'vitest'
import { openEmbedded } from './embedded.ts'
import { analyzeNew, vacuumDue } from './maintenance.ts'

test('the embedded database clears away dead rows, and leaves tables alone that have none', async () => {
  const { pool, close } = await openEmbedded(undefined)
  try {
    await pool.query('create table busy (id int)')
    await pool.query('create table quiet (id int)')
    await pool.query('insert into busy select generate_series(1, 1000)')
    await pool.query('update busy set id = id + 1')
    await pool.query('select pg_stat_force_next_flush()')
    expect(await vacuumDue(pool)).toEqual(['public.busy'])
    await pool.query('select pg_stat_force_next_flush()')
    expect(await vacuumDue(pool)).toEqual([])
  } finally {
    await close()
  }
})

test('the first rows of a new database are known to the planner before it would look by itself', async () => {
  const { pool, close } = await openEmbedded(undefined)
  try {
    await pool.query('create table transactions (id int)')
    await pool.query('create table empty (id int)')
    expect(await analyzeNew(pool)).toBe(false)
    await pool.query('insert into transactions select generate_series(1, 1000)')
    await pool.query('select pg_stat_force_next_flush()')
    expect(await analyzeNew(pool)).toBe(true)
    const { rows } = await pool.query("select relname, reltuples::int as rows from pg_class where relname in ('transactions', 'empty') order by 1")
    expect(rows).toEqual([
      { relname: 'empty', rows: -1 },
      { relname: 'transactions', rows: 1000 },
    ])
  } finally {
    await close()
  }
})
