import type pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { followWorkers } from './account-workers.ts'

test('a lost first answer about an account is no unhandled rejection once a later answer has come', async () => {
  const answers: PromiseWithResolvers<pg.QueryResult>[] = []
  const client = {
    query: () => {
      const answer = Promise.withResolvers<pg.QueryResult>()
      answers.push(answer)
      return answer.promise
    },
    on: () => undefined,
    off: () => undefined,
    release: () => undefined,
  }
  const pool = { connect: async () => client } as unknown as pg.Pool
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  onTestFinished(() => {
    process.off('unhandledRejection', unhandled)
    vi.restoreAllMocks()
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const workers = followWorkers(pool, () => undefined)
  const first = workers.of('shop')
  await turn()
  const later = performance.now() + 10_001
  vi.spyOn(performance, 'now').mockReturnValue(later)
  const second = workers.of('shop')
  await turn()
  answers[1]?.resolve({ rows: [{ worker: 'one:5432' }] } as unknown as pg.QueryResult)
  answers[0]?.reject(new Error('Connection terminated unexpectedly'))
  await expect(first).rejects.toThrow('terminated')
  await expect(second).rejects.toThrow('terminated')
  await turn()
  expect(unhandled).not.toHaveBeenCalled()
  expect(await workers.of('shop')).toBe('one:5432')
})
