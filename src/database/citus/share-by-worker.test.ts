import type pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runAsRequest } from '../../api/request/request-context.ts'
import { shareByWorker } from './share-by-worker.ts'

const ofAccount = (account: string): pg.QueryConfig => ({
  text: 'select from transactions where merchant_account_id = $1',
  values: [account],
})

/** A pool of ten connections, of which a worker has five. An account is on the worker with the first letter of its name. */
async function openShares({ waitMs = 60_000 } = {}) {
  const running: { statement: unknown; answer: (value: pg.QueryResult) => void }[] = []
  const connected: pg.PoolClient[] = []
  let refusal: Error | undefined
  const moved = new Map<string, string>()
  const pool = {
    options: { max: 10 },
    connect: async () => {
      if (refusal) throw refusal
      const query = ({ text, values }: pg.QueryConfig) => {
        if (text.includes('pg_dist_placement'))
          return Promise.resolve({ rows: [{ worker: moved.get(values?.[0]) ?? values?.[0][0] }] })
        const { promise, resolve } = Promise.withResolvers<pg.QueryResult>()
        running.push({ statement: values?.[0], answer: resolve })
        return promise
      }
      return { query, on: () => undefined, off: () => undefined, release: () => undefined }
    },
  }
  const shares = shareByWorker(pool as unknown as pg.Pool, waitMs)
  // nothing here waits for anything but promises
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  // none still waits when the test is over
  onTestFinished(async () => {
    for (; running.length > 0; await settle()) running.shift()?.answer({} as pg.QueryResult)
    for (const client of connected.splice(0)) client.release()
    await settle()
    expect(shares.waiting).toBe(0)
  })
  return {
    shares,
    settle,
    connected,
    refuse: (error: Error | undefined) => (refusal = error),
    move: (account: string, worker: string) => void moved.set(account, worker),
    started: () => running.map(({ statement }) => statement),
    answerFirst: () => running.shift()?.answer({} as pg.QueryResult),
  }
}

test('statements of one worker’s accounts have their part of the connections, and other accounts the rest', async () => {
  const { shares, started, settle } = await openShares()
  for (let count = 0; count < 8; count++) void shares.run(ofAccount(count % 2 === 0 ? 'a1' : 'a2'))
  void shares.run(ofAccount('b1'))
  void shares.run({ text: 'select from webhook_deliveries', values: [] })
  await settle()
  const workers = started().map((account) => (account === undefined ? 'any' : String(account)[0]))
  expect(workers.toSorted()).toEqual(['a', 'a', 'a', 'a', 'a', 'any', 'b'])
  expect(shares.waiting).toBe(3)
})

test('accounts that are new to the process have the part of their worker, too', async () => {
  const { shares, started, settle } = await openShares()
  for (let count = 0; count < 8; count++) void shares.run(ofAccount(`a${count}`))
  await settle()
  expect(started()).toHaveLength(5)
  expect(shares.waiting).toBe(3)
})

test('an account that has moved takes its connections along, so that others have theirs again', async () => {
  const { shares, started, settle, move } = await openShares()
  for (let count = 0; count < 5; count++) void shares.run(ofAccount('a1'))
  await settle()
  move('a1', 'b')
  // both wait for the worker that the account was on
  void shares.run(ofAccount('a2'))
  void shares.run(ofAccount('a1'))
  await settle()
  expect(started()).toEqual(['a1', 'a1', 'a1', 'a1', 'a1'])
  const later = performance.now() + 1_001
  vi.spyOn(performance, 'now').mockReturnValue(later)
  onTestFinished(() => void vi.restoreAllMocks())
  void shares.run(ofAccount('a1'))
  await settle()
  expect(started()).toEqual(['a1', 'a1', 'a1', 'a1', 'a1', 'a2'])
  expect(shares.waiting).toBe(2)
})

test('a statement that waits runs when another one is answered, the longest waiting first', async () => {
  const { shares, started, answerFirst, settle } = await openShares()
  for (let count = 0; count < 5; count++) void shares.run(ofAccount('a1'))
  await settle()
  void shares.run(ofAccount('a2'))
  await settle()
  void shares.run(ofAccount('a1'))
  answerFirst()
  await settle()
  expect(started()).toEqual(['a1', 'a1', 'a1', 'a1', 'a2'])
  answerFirst()
  await settle()
  expect(shares.waiting).toBe(0)
  // all places are given back
  while (started().length > 0) answerFirst()
  await settle()
  for (let count = 0; count < 6; count++) void shares.run(ofAccount('a1'))
  await settle()
  expect(started()).toHaveLength(5)
})

test('a statement that waits too long fails as without a free connection, and no place is lost', async () => {
  const { shares, started, answerFirst, settle } = await openShares({ waitMs: 20 })
  for (let count = 0; count < 5; count++) void shares.run(ofAccount('a1'))
  await settle()
  await expect(shares.run(ofAccount('a1'))).rejects.toThrow('timeout exceeded when trying to connect')
  expect(shares.waiting).toBe(0)
  answerFirst()
  await settle()
  void shares.run(ofAccount('a1'))
  await settle()
  expect(started()).toHaveLength(5)
})

test('a statement whose connection is refused gives its place back', async () => {
  const { shares, started, refuse, settle } = await openShares()
  refuse(new Error('refused'))
  for (let count = 0; count < 6; count++) await expect(shares.run(ofAccount('a1'))).rejects.toThrow('refused')
  refuse(undefined)
  for (let count = 0; count < 6; count++) void shares.run(ofAccount('a1'))
  await settle()
  expect(started()).toHaveLength(5)
})

test('a composed query is of the account of its request', async () => {
  const { shares, settle, connected } = await openShares()
  const connect = () => void shares.connect().then((client) => connected.push(client))
  runAsRequest({ id: '1', actor: undefined, account: 'a1' }, () => {
    for (let count = 0; count < 6; count++) connect()
  })
  await settle()
  expect(connected).toHaveLength(5)
  connect()
  await settle()
  expect(connected).toHaveLength(6)
})
