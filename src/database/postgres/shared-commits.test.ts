import fc from 'fast-check'
import { DatabaseError } from 'pg'
import { expect, test, vi } from 'vitest'
import { openPool } from '../empty.fixture.ts'
import { add, type Kept, openKept, put } from '../kept.fixture.ts'
import { shareCommits } from './shared-commits.ts'

const refusalOf = ({ reason }: PromiseRejectedResult): string | undefined =>
  reason instanceof DatabaseError ? reason.constraint : String(reason)

test('statements at the same time share commits, and each returns its own rows', async () => {
  const { run, kept } = await openKept()
  const ids = Array.from({ length: 64 }, (_, id) => id)
  const answers = await Promise.all(ids.map((id) => run<Kept>(put, [id, id * 10])))
  expect(answers.map(([row]) => row)).toMatchObject(ids.map((id) => ({ id, amount: id * 10 })))
  expect(await kept()).toEqual(new Map(ids.map((id) => [id, id * 10])))
  expect(new Set(answers.map(([row]) => row?.commit)).size).toBeLessThan(32)
})

test('a refused statement fails alone, with its own error', async () => {
  const { run, kept } = await openKept()
  await run(put, [13, 0])
  const results = await Promise.allSettled(
    Array.from({ length: 40 }, (_, id) => run(put, [id, id === 20 ? -1 : id])),
  )
  const refused = results.flatMap((result, id) =>
    result.status === 'rejected' ? [[id, refusalOf(result)]] : [],
  )
  expect(refused).toEqual([
    [13, 'kept_once'],
    [20, 'kept_positive'],
  ])
  expect((await kept()).size).toBe(39)
})

test('conflicting statements each take effect exactly as they report, once', async () => {
  const { run, kept } = await openKept()
  const statement = fc.record({
    what: fc.constantFrom(put, add),
    id: fc.nat(5),
    amount: fc.integer({ min: -3, max: 5 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(statement, { minLength: 2, maxLength: 40 }), async (statements) => {
      await run('delete from kept', [])
      const results = await Promise.allSettled(
        statements.map(({ what, id, amount }) => run<Kept>(what, [id, amount])),
      )
      const sums = new Map<number, number>()
      for (const [index, { what, id, amount }] of statements.entries()) {
        const result = results[index]
        if (result?.status === 'rejected')
          expect(refusalOf(result)).toMatch(what === put ? /kept_once|kept_positive/ : /kept_positive/)
        else if (result?.value.length === 1) sums.set(id, (sums.get(id) ?? 0) + amount)
      }
      expect(await kept()).toEqual(sums)
    }),
    { numRuns: 60 },
  )
})

test('a statement that is sent again as soon as no connection was free for it is answered', async () => {
  const pool = await openPool()
  vi.spyOn(pool, 'connect').mockRejectedValueOnce(new Error('timeout exceeded when trying to connect'))
  const { run } = shareCommits(pool)
  const query = { text: 'select 1 as one' }
  const { rows } = await run(query).catch(() => run(query))
  expect(rows).toEqual([{ one: 1 }])
})
