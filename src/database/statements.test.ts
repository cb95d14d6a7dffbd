import { expect, test } from 'vitest'
import { openKept, put } from './kept.fixture.ts'
import { withSharedCommit } from './statements.ts'

test.each([
  ['of its own', 'select * from kept where id = $1'],
  ['that it shares', withSharedCommit('select kept.* from kept where id = $1')],
])('a statement in a commit %s reads a table that got a column since it was prepared', async (_, read) => {
  const { run } = await openKept()
  await run(put, [1, 10])
  const readTogether = () => Promise.all(Array.from({ length: 20 }, () => run(read, [1])))
  await readTogether()
  await run('alter table kept add column note text', [])
  for (const [row] of await readTogether()) expect(row).toMatchObject({ id: 1, amount: 10, note: null })
})
