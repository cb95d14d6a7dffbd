import { DatabaseError, type QueryResult } from 'pg'
import { expect, test } from 'vitest'
import { openKept, put } from './kept.fixture.ts'
import { partitionedTables } from './partitions/partitioned-tables.ts'
import type { PaymentPartitions } from './partitions/payment-partitions.ts'
import { sqlFunction } from './sql-function.ts'
import { statements, withSharedCommit } from './statements.ts'

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

test('a call that the cuts of several tables interrupt, one after the other, is sent until it has its effect', async () => {
  const effect = sqlFunction({
    name: 'interrupted_for_test',
    parameters: { account: 'text' },
    returns: 'text',
    body: () => "\nbegin return 'done'; end",
  })
  const interrupted = Object.assign(
    new DatabaseError('type of parameter 64 (transactions) does not match', 0, 'error'),
    { code: '42804' },
  )
  let sent = 0
  const send = async () => {
    sent += 1
    if (sent <= partitionedTables.length) throw interrupted
    return { rows: [{ result: 'done' }] } as unknown as QueryResult
  }
  const partitions = {
    concerns: () => false,
    resolve: (text: string) => text,
  } as unknown as PaymentPartitions
  const pool = { query: send } as unknown as Parameters<typeof statements>[0]
  const run = statements(pool, { run: send, runAlone: send, waiting: 0 }, partitions)
  expect(await effect.call({ run }, { account: 'shop' })).toBe('done')
  expect(sent).toBe(partitionedTables.length + 1)
})
