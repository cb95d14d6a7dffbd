import { expect, test } from 'vitest'
import { analyzeGrowing } from './early-analyze.ts'
import { openPool } from './empty.fixture.ts'

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
  await analyzeGrowing(pool)
  expect(await known()).toEqual([
    { relname: 'few', rows: -1 },
    { relname: 'transactions', rows: 1_000 },
  ])
  await grow(500)
  await analyzeGrowing(pool)
  expect(await known()).toContainEqual({ relname: 'transactions', rows: 1_000 })
  await grow(20_000)
  await analyzeGrowing(pool)
  expect(await known()).toContainEqual({ relname: 'transactions', rows: 21_500 })
})

test('a partition that begins to fill is analyzed, however many payments there are in others', async () => {
  const pool = await openPool()
  await pool.query('create table transactions (id int) partition by range (id)')
  await pool.query(
    'create table transactions_p1 partition of transactions for values from (minvalue) to (50000)',
  )
  await pool.query(
    'create table transactions_p2 partition of transactions for values from (50000) to (maxvalue)',
  )
  await pool.query('insert into transactions select generate_series(1, 30000)')
  await pool.query('analyze transactions_p1')
  await pool.query('insert into transactions select generate_series(50001, 51000)')
  await pool.query('select pg_stat_force_next_flush()')
  await analyzeGrowing(pool)
  const { rows } = await pool.query(
    "select reltuples::int as rows from pg_class where relname in ('transactions_p1', 'transactions_p2') order by relname",
  )
  expect(rows).toEqual([{ rows: 30_000 }, { rows: 1_000 }])
})
