import { expect, test } from 'vitest'
import { openEmpty } from '../empty.fixture.ts'
import { changeInBatches } from './change-in-batches.ts'

const ROWS = 25_000

test('all rows of a condition are deleted, more than a batch, and no other', async () => {
  const { run } = await openEmpty()
  await run(`create table kept as select id from generate_series(1, ${ROWS}) as id`, [])
  await changeInBatches({ run }, { table: 'kept', where: 'id > $1' }, [10])
  expect(await run('select count(*) as count from kept', [])).toEqual([{ count: 10 }])
})

test('a process that stops leaves the batches that it has not begun', async () => {
  const { run } = await openEmpty()
  await run(`create table kept as select id from generate_series(1, ${ROWS}) as id`, [])
  const world = {
    stopping: false,
    run: (...statement: Parameters<typeof run>) => {
      if (statement[0].startsWith('delete')) world.stopping = true
      return run(...statement)
    },
  }
  await changeInBatches(world as never, { table: 'kept', where: 'id > $1' }, [10])
  expect(await run('select count(*) as count from kept', [])).toEqual([{ count: ROWS - 10_000 }])
})
