import { expect, test } from 'vitest'
import { openPool } from '../empty.fixture.ts'
import { analyzeGrowing, vacuumDue } from './maintenance.ts'

test('the embedded database vacuums tables with dead rows, and no others', async () => {
  const pool = await openPool()
  await pool.query('create table busy (id int)')
  await pool.query('create table quiet (id int)')
  await pool.query('insert into busy select generate_series(1, 1000)')
  await pool.query('update busy set id = id + 1')
  await pool.query('select pg_stat_force_next_flush()')
  expect(await vacuumDue(pool)).toEqual(['public.busy'])
  await pool.query('select pg_stat_force_next_flush()')
  expect(await vacuumDue(pool)).toEqual([])
})

test('a young database is analyzed before PostgreSQL would do it by itself', async () => {
  const pool = await openPool()
  const known = async () =>
    (
      await pool.query(
        "select relname, reltuples::int as rows from pg_class where relname in ('few', 'transactions') order by 1",
      )
    ).rows
  const grow = async (rows: number) => {
    await pool.query(`insert into transactions select generate_series(1, ${rows})`)
    await pool.query('select pg_stat_force_next_flush()')
  }
  await pool.query('create table transactions (id int)')
  await pool.query('create table few (id int)')
  await pool.query('insert into few values (1)')
  await grow(1_000)
  expect(await analyzeGrowing(pool)).toBe(false)
  expect(await known()).toEqual([
    { relname: 'few', rows: -1 },
    { relname: 'transactions', rows: 1_000 },
  ])
  await grow(500)
  await analyzeGrowing(pool)
  expect(await known()).toContainEqual({ relname: 'transactions', rows: 1_000 })
  await grow(20_000)
  expect(await analyzeGrowing(pool)).toBe(true)
  expect(await known()).toContainEqual({ relname: 'transactions', rows: 21_500 })
})
