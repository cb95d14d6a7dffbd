import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { add, openKept, put } from '../../src/database/kept.fixture.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { shareCommits } from '../../src/database/postgres/shared-commits.ts'
import { withSharedCommit } from '../../src/database/statements.ts'
import { readSettings } from '../../src/settings.ts'
import { ownDatabase } from '../support/railyard.ts'

type Database = Awaited<ReturnType<typeof openKept>>

/** Holds every row while `work` runs. */
const whileHeld = ({ db }: Database, work: () => Promise<void>) =>
  db.transaction().execute(async (holder) => {
    await sql`update kept set amount = 50`.execute(holder)
    await work()
  })

/** The sessions whose statement `add` waits for a row. */
const sessionsThatWait = `
  from pg_stat_activity
 where datname = current_database() and wait_event_type = 'Lock' and query like 'update kept set amount = amount +%'`

async function untilLocked({ db }: Database, count: number): Promise<void> {
  while ((await sql.raw(`select ${sessionsThatWait}`).execute(db)).rows.length < count) await wait(1)
}

test.each([3, 30])('a statement that waits for a lock does not delay %i others', async (others) => {
  const database = await openKept()
  const { run, kept } = database
  await run(put, [0, 100])
  let held: Promise<unknown> = Promise.resolve()
  await whileHeld(database, async () => {
    held = run(add, [0, 5])
    await untilLocked(database, 1)
    await Promise.all(Array.from({ length: others }, (_, id) => run(put, [id + 1, 1])))
  })
  await held
  expect((await kept()).get(0)).toBe(55)
})

test('statements that each wait for a lock leave the shared connections to others', async () => {
  const database = await openKept()
  const { run, kept } = database
  const ids = [0, 1, 2]
  for (const id of ids) await run(put, [id, 100])
  const held: Promise<unknown>[] = []
  await whileHeld(database, async () => {
    for (const id of ids) {
      held.push(run(add, [id, 5]))
      await untilLocked(database, id + 1)
    }
    await run(put, [3, 1])
  })
  await Promise.all(held)
  expect(Object.fromEntries(await kept())).toEqual({ 0: 55, 1: 55, 2: 55, 3: 1 })
})

/** Opens more connections than statements may share: one that opens late changes which of them share it. */
async function openConnections({ db }: Database): Promise<void> {
  const isThere = sql`select pg_sleep(0.1)`
  await Promise.all(Array.from({ length: 5 }, () => isThere.execute(db)))
}

/** Waits for the lock of a transaction for as long as that takes, also in a shared commit. */
const addLate = withSharedCommit(
  `update kept set amount = amount + $2 + length(set_config('lock_timeout', '0', true)) where id = $1`,
)

test('a statement waits for a connection only if each that may be shared is in use', async () => {
  const database = await openKept()
  const { run } = database
  await openConnections(database)
  for (const id of [0, 1, 2]) await run(put, [id, 100])
  const answers: Promise<unknown>[] = []
  await whileHeld(database, async () => {
    for (const id of [0, 1, 2]) {
      answers.push(run(addLate, [id, 5]), run(addLate, [id, 5]))
      // the last connection is taken at once if the one before is late by now
      await nextTurn()
      if (id < 2) expect(database.connections().waiting).toBe(0)
      await untilLocked(database, id + 1)
      expect(database.connections().waiting).toBe(0)
    }
    answers.push(run(put, [3, 1]))
    expect(database.connections().waiting).toBe(1)
  })
  await Promise.all(answers)
  expect(database.connections().waiting).toBe(0)
})

const endWaiting = `select pg_terminate_backend(pid) ${sessionsThatWait}`

test('a broken connection fails every statement in it, and each took full effect or none', async () => {
  const database = await openKept()
  const { run, kept } = database
  await run(put, [0, 0])
  const ids = Array.from({ length: 48 }, (_, id) => id)
  let answers: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([])
  let ended = 0
  await whileHeld(database, async () => {
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

test('statements do not wait for a new connection while another one is free', async () => {
  const own = await ownDatabase()
  if (!own) throw new TypeError('there is no PostgreSQL')
  const opened = Promise.withResolvers<void>()
  let isFirst = true
  const pool = new pg.Pool({
    connectionString: own.url,
    max: 6,
    pipeline: true,
    onConnect: async () => {
      if (!isFirst) await opened.promise
      isFirst = false
    },
  })
  onTestFinished(async () => {
    opened.resolve()
    await pool.end()
    await own.drop()
  })
  const { run } = shareCommits(pool)
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, id) => run({ text: 'select $1::int as id', values: [id] })),
  )
  expect(answers.map(({ rows }) => rows[0].id)).toEqual(Array.from({ length: 60 }, (_, id) => id))
  expect(pool.idleCount).toBeGreaterThan(0)
})

/** A database of a role with so many connections at most. */
async function openLimited(connections: number) {
  const own = await ownDatabase()
  if (!own) throw new TypeError('there is no PostgreSQL')
  const role = `limited_${process.pid}`
  const url = new URL(own.url)
  const name = url.pathname.slice(1)
  url.username = role
  const admin = new pg.Client({ connectionString: own.url })
  await admin.connect()
  onTestFinished(async () => {
    await admin.query(`reassign owned by ${role} to current_user; drop owned by ${role}; drop role ${role}`)
    await admin.end()
    await own.drop()
  })
  await admin.query(`create role ${role} login connection limit ${connections}`)
  await admin.query(`alter database ${name} owner to ${role}`)
  const database = await openDatabase(readSettings({ DATABASE_URL: url.href, DATABASE_POOL_SIZE: '6' }))
  onTestFinished(database.close)
  return database
}

test('while the server has no room for another connection, those that there are take every statement', async () => {
  // one for the listener, and one for statements
  const { run } = await openLimited(2)
  await run('create table kept (id int primary key, amount int not null)', [])
  const answers = await Promise.allSettled(Array.from({ length: 48 }, (_, id) => run(put, [id, 1])))
  expect(answers.filter(({ status }) => status === 'rejected')).toEqual([])
})
