import { expect, test } from 'vitest'
import { openPool } from '../empty.fixture.ts'
import { vacuumDue } from './maintenance.ts'

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
