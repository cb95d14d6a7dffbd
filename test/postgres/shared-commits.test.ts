import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { add, openKept, put } from '../../src/database/kept.fixture.ts'

/** Holds the row with this id while `work` runs. */
const whileHeld = ({ db }: Awaited<ReturnType<typeof openKept>>, id: number, work: () => Promise<void>) =>
  db.transaction().execute(async (holder) => {
    await sql`update kept set amount = 50 where id = ${id}`.execute(holder)
    await work()
  })

test('a statement that waits for a lock does not delay others', async () => {
  const database = await openKept()
  const { run, kept } = database
  await run(put, [0, 100])
  let held: Promise<unknown> = Promise.resolve()
  await whileHeld(database, 0, async () => {
    held = run(add, [0, 5])
    await Promise.all(Array.from({ length: 30 }, (_, id) => run(put, [id + 1, 1])))
  })
  await held
  expect((await kept()).get(0)).toBe(55)
})

const endWaiting = `
select pg_terminate_backend(pid) from pg_stat_activity
 where datname = current_database() and wait_event_type = 'Lock' and query like 'update kept set amount = amount +%'`

test('a broken connection fails every statement in it, and each took full effect or none', async () => {
  const database = await openKept()
  const { run, kept } = database
  await run(put, [0, 0])
  const ids = Array.from({ length: 48 }, (_, id) => id)
  let answers: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([])
  let ended = 0
  await whileHeld(database, 0, async () => {
    answers = Promise.allSettled(ids.map((id) => (id % 16 === 0 ? run(add, [0, 1]) : run(put, [id, 1]))))
    while (ended === 0) {
      ended = (await run(endWaiting, [])).length
      await wait(1)
    }
  })
  const results = await answers
  const there = await kept()
  const isDone = (id: number) => results[id]?.status === 'fulfilled'
  expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(ended)
  for (const id of ids) if (id % 16 !== 0) expect(there.has(id)).toBe(isDone(id))
  expect(there.get(0)).toBe(50 + [0, 16, 32].filter(isDone).length)
  await expect(run(put, [100, 1])).resolves.toHaveLength(1)
})
