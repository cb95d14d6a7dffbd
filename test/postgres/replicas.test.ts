import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { readFromReplica } from '../../src/database/replicas/read-from-replica.ts'
import { openReadReplicas } from '../../src/database/replicas/read-replicas.ts'
import { startRailyard } from '../../src/process/railyard.ts'
import type { World } from '../../src/world.ts'
import { postgresServer } from '../processes/postgres-server.ts'
import {
  download,
  execute,
  readCsv,
  startWithoutReportRounds,
  transactionsReport,
} from '../support/domains/reports.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts'
import { openShop } from '../support/shop.ts'

// A primary and one read replica. Each test leaves the replica in use.

const settings = ['fsync=off', 'shared_preload_libraries=pg_stat_statements', 'hot_standby_feedback=off']
const primary = await startOwnPostgres({ settings })
await query(primary, 'create extension pg_stat_statements')
const replica = await startOwnPostgres({ settings, standbyOf: primary })
const replicaServer = await postgresServer(replica.url)
afterAll(() => replica.close().finally(primary.close))
const railyard = await startWithoutReportRounds({
  DATABASE_URL: primary.url,
  DATABASE_REPLICA_URLS: replica.url,
})
const shop = await openShop(railyard)
beforeEach(untilUsed)

async function query(at: OwnPostgres, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: at.url })
  await client.connect()
  const { rows } = await client.query(statement).finally(() => client.end())
  return rows
}
const state = () => railyard.world.replicas.states()[0] ?? expect.fail('there is no replica')
function untilUsed() {
  return expect.poll(() => state().problem, { timeout: 15_000 }).toBe(undefined)
}
const isReplica = async (db: World['db']): Promise<boolean> => {
  const { rows } = await sql<{ is: boolean }>`select pg_is_in_recovery() as is`.execute(db)
  return rows[0]?.is ?? false
}
const list = (filter = '') => shop.get(`/transactions?limit=100${filter}`)
const idsOf = ({ status, body }: Awaited<ReturnType<typeof list>>): string[] => {
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.items.map(({ id }: { id: string }) => id)
}

/** How many statements with this text a server has run. */
const calls = async (at: OwnPostgres, text: string): Promise<number> => {
  const [row] = await query(
    at,
    `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements where query like '%${text}%'`,
  )
  return Number(row?.['calls'])
}
const LIST = 'row_to_json("row")'
const INSIGHTS = 'from insight_hours'
const REPORT = ' as c2'

/** How many reads had this result. */
const reads = async (result: string): Promise<number> => {
  const metric = railyard.world.metrics.registry.getSingleMetric('railyard_replica_reads_total')
  const { values } = (await metric?.get()) ?? { values: [] }
  return values.find(({ labels }) => labels['result'] === result)?.value ?? 0
}

/**
 * Repeats `work` until no read of it went to the primary: on a busy machine the replica may not answer in
 * time. Answers how many statements with each text the servers have run meanwhile.
 */
async function onReplica(work: () => Promise<unknown>): Promise<Record<string, [number, number]>> {
  const count = async () => ({
    elsewhere: (await reads('unusable')) + (await reads('behind')) + (await reads('failed')),
    calls: await Promise.all(
      [LIST, INSIGHTS, REPORT].map(async (text) => [await calls(primary, text), await calls(replica, text)]),
    ),
  })
  for (let attempt = 0; attempt < 20; attempt++) {
    await untilUsed()
    const before = await count()
    await work()
    const after = await count()
    if (after.elsewhere > before.elsewhere) continue
    const difference = (index: number): [number, number] => {
      const [then = [], now = []] = [before.calls[index], after.calls[index]]
      return [(now[0] ?? 0) - (then[0] ?? 0), (now[1] ?? 0) - (then[1] ?? 0)]
    }
    return { list: difference(0), insights: difference(1), report: difference(2) }
  }
  expect.fail('the replica was never in time')
}

/** The lines of a new report of all transactions. */
const report = async (merchant = shop) => {
  const execution = await execute(railyard, merchant, transactionsReport())
  expect(execution.status).toBe('succeeded')
  return readCsv(await download(merchant, execution))
}

test('a replica is used, whatever isolation level the role has by default', async () => {
  await query(primary, 'create role strict superuser login')
  await query(primary, `alter role strict set default_transaction_isolation = 'serializable'`)
  const replicas = openReadReplicas({
    urls: [replica.url.replace('//postgres@', '//strict@')],
    maxConnections: 1,
    primary: railyard.world,
    counted: () => undefined,
    changed: () => undefined,
  })
  onTestFinished(replicas.close)
  const isolation = () =>
    replicas.read(async (reader) =>
      reader?.run(`select current_setting('transaction_isolation') as level`, []),
    )
  // on a busy machine a read of the replica may not be in time, and goes to the primary
  await expect.poll(isolation, { timeout: 15_000 }).toEqual([{ level: 'read committed' }])
})

test('lists, insights and reports run on the replica, and a resource by its id on the primary', async () => {
  const paid = await shop.sold(30_00)
  const ran = await onReplica(async () => {
    expect(idsOf(await list())).toEqual([paid.id])
    const summary = await shop.get('/metrics-explorer/summary?datetime_range=P1D/hour_end')
    expect(summary.body.currencies).toMatchObject([{ currency: 'EUR', transactions: 1, volume: 30_00 }])
    expect(await report()).toMatchObject([{ id: paid.id }])
  })
  expect(ran).toEqual({ list: [0, 1], insights: [0, 1], report: [0, 1] })
  const served = await reads('replica')
  expect((await paid.read()).id).toBe(paid.id)
  expect(await reads('replica')).toBe(served)
})

async function setOnReplica(name: string, value: string): Promise<void> {
  await query(replica, `alter system set ${name} = '${value}'`)
  await query(replica, 'select pg_reload_conf()')
}

test('a list of a replica that is always behind shows every payment that was answered before it', async () => {
  // the replica shows each commit so much later
  await setOnReplica('recovery_min_apply_delay', '120ms')
  onTestFinished(() => setOnReplica('recovery_min_apply_delay', '0'))
  const served = await reads('replica')
  const missing: string[] = []
  await Promise.all(
    Array.from({ length: 3 }, async () => {
      for (let round = 0; round < 10; round++) {
        const { id } = await shop.authorized(1_00)
        if (!idsOf(await list(`&id=${id}`)).includes(id)) missing.push(id)
      }
    }),
  )
  expect(missing).toEqual([])
  expect(await reads('replica')).toBeGreaterThan(served)
})

test('while the replica does not replay, callers of every process see what they have written, and the lag is told', async () => {
  const other = await startRailyard(
    { ...railyard.world.settings, ...(railyard.simulatorUrl && { sandboxUrl: railyard.simulatorUrl }) },
    { clock: railyard.clock, log: railyard.world.log, inMemory: true },
  )
  onTestFinished(other.close)
  await expect.poll(() => other.world.replicas.states()[0]?.problem).toBe(undefined)
  await query(replica, 'select pg_wal_replay_pause()')
  await expect
    .poll(() => query(replica, 'select pg_get_wal_replay_pause_state() as state'))
    .toEqual([{ state: 'paused' }])

  const paid = await shop.authorized(7_00)
  const listAt = async (url: string) => {
    const answer = await fetch(`${url}/transactions?id=${paid.id}`, {
      headers: { authorization: `Bearer ${shop.token}`, 'x-svc-merchant-account-id': shop.account },
    })
    return (await answer.json()) as { items: { id: string }[] }
  }
  // the caller sends no token, and asks both processes
  for (const url of [railyard.url, other.url])
    expect((await listAt(url)).items).toMatchObject([{ id: paid.id }])
  expect((await reads('behind')) + (await reads('unusable'))).toBeGreaterThan(0)
  // the replica does not have it
  expect(await query(replica, `select from transactions where id = '${paid.id}'`)).toEqual([])

  await expect.poll(() => state().problem, { timeout: 10_000 }).toMatch(/more than 1 s behind/)
  const { replicas, status } = (await railyard.send('GET', '/health/ready')).body
  expect(status).toBe('ok')
  expect(replicas).toEqual([{ used: false, lag_seconds: expect.any(Number), lag_bytes: expect.any(Number) }])
  expect(replicas[0].lag_seconds).toBeGreaterThan(1)
  expect(replicas[0].lag_bytes).toBeGreaterThan(0)
  const metrics = await (await fetch(`${railyard.url}/metrics`)).text()
  const label = `{replica="${replica.host}/postgres"}`
  expect(metrics).toContain(`railyard_replica_used${label} 0`)
  expect(metrics).toMatch(/railyard_replica_lag_seconds\{[^}]*\} [1-9]/)
  expect(metrics).toMatch(/railyard_replica_lag_bytes\{[^}]*\} [1-9]/)
  expect(railyard.logged.some((line) => line.includes('the read replica is not used'))).toBe(true)

  await query(replica, 'select pg_wal_replay_resume()')
  await untilUsed()
  await expect.poll(() => state().bytes).toBe(0)
  expect(state().seconds).toBe(0)
  const ran = await onReplica(async () => expect(idsOf(await list(`&id=${paid.id}`))).toEqual([paid.id]))
  expect(ran['list']).toEqual([0, 1])
})

test('a replica that dies costs no request, and is used again when it is back', async () => {
  const paid = await shop.authorized(8_00)
  await replicaServer.kill()
  const answers = await Promise.all(Array.from({ length: 20 }, () => list(`&id=${paid.id}`)))
  for (const answer of answers) expect(idsOf(answer)).toEqual([paid.id])
  await expect.poll(() => state().problem, { timeout: 10_000 }).toMatch(/cannot be asked: .*ECONNREFUSED/)
  expect((await railyard.send('GET', '/health/ready')).status).toBe(200)
  await replicaServer.start()
})

test('a replica that freezes costs no request, also those that it was answering, and is used again when it is back', async () => {
  const paid = await shop.authorized(9_00)
  onTestFinished(replicaServer.thaw)
  const frozen = Promise.withResolvers<void>()
  let isFrozen = false
  const read = () =>
    readFromReplica(railyard.world, async ({ db }) => {
      if (!isFrozen && (await isReplica(db))) {
        replicaServer.freeze()
        isFrozen = true
        frozen.resolve()
      }
      return isReplica(db)
    })
  let underWay = read()
  // on a busy machine the replica may not be in time
  while ((await Promise.race([underWay, frozen.promise])) === false) {
    await untilUsed()
    underWay = read()
  }
  const answers = await Promise.all(Array.from({ length: 20 }, () => list(`&id=${paid.id}`)))
  for (const answer of answers) expect(idsOf(answer)).toEqual([paid.id])
  expect(await underWay).toBe(false)
  expect(idsOf(await list(`&id=${paid.id}`))).toEqual([paid.id])
  expect(state().problem).toMatch(/cannot be asked/)
})

test('a statement that is in the way of the log runs again on the primary, and the replica stays in use', async () => {
  const refused: unknown[] = []
  await query(primary, 'create table in_the_way as select 1 as row')
  // the statement is canceled at once
  await setOnReplica('max_standby_streaming_delay', '0')
  onTestFinished(() => setOnReplica('max_standby_streaming_delay', '30s'))
  const read = () =>
    readFromReplica(railyard.world, async ({ db }) => {
      const sleep = sql<{ isReplica: boolean }>`
      select pg_is_in_recovery() as "isReplica",
             pg_sleep(case when pg_is_in_recovery() then 60 else 0 end)`
      const { rows } = await sleep.execute(db).catch((error) => {
        refused.push(error.code)
        throw error
      })
      return rows[0]?.isReplica
    })
  let reading = read()
  let isOver = false
  await expect
    .poll(
      async () => {
        // on a busy machine the replica may not answer in time: the read was over on the primary at once
        if (isOver) {
          await untilUsed()
          reading = read()
        }
        isOver = await Promise.race([reading.then(() => true), wait(50, false)])
        return query(
          replica,
          `select from pg_stat_activity where state = 'active' and query like '%pg_sleep(case%' and pid <> pg_backend_pid()`,
        )
      },
      { timeout: 30_000 },
    )
    .toHaveLength(1)
  await query(primary, 'delete from in_the_way')
  await query(primary, 'vacuum in_the_way')
  expect(await reading).toBe(false)
  expect(refused).toEqual(['40001'])
  expect(state().problem).toBe(undefined)
  expect((await onReplica(list))['list']).toEqual([0, 1])
})

test('a slow statement of a request runs again on the primary; what the work itself throws is thrown', async () => {
  const slow = await readFromReplica(
    railyard.world,
    async ({ db }) => {
      const { rows } = await sql<{ isReplica: boolean }>`
        select pg_is_in_recovery() as "isReplica",
               pg_sleep(case when pg_is_in_recovery() then 60 else 0 end)`.execute(db)
      return rows[0]?.isReplica
    },
    { answerWithin: 200 },
  )
  expect(slow).toBe(false)
  await expect
    .poll(async () => {
      await list()
      return reads('failed')
    })
    .toBeGreaterThan(0)
  let runs = 0
  const refused = readFromReplica(railyard.world, async () => {
    runs += 1
    throw new Error('not found')
  })
  await expect(refused).rejects.toThrow('not found')
  expect(runs).toBe(1)
})

test('a session of the replica has the settings of the primary’s sessions, and cannot write', async () => {
  const shown = sql<Record<string, string>>`
    select current_setting('default_transaction_read_only') as read_only,
           current_setting('transaction_isolation') as isolation,
           current_setting('timezone') as zone,
           current_setting('jit') as jit,
           current_setting('statement_timeout') as timeout`
  await expect
    .poll(async () => (await readFromReplica(railyard.world, ({ db }) => shown.execute(db))).rows)
    .toEqual([{ read_only: 'on', isolation: 'read committed', zone: 'UTC', jit: 'off', timeout: '5s' }])
  const written: unknown[] = []
  const write = () =>
    readFromReplica(railyard.world, async ({ db, run }) => {
      if (await isReplica(db))
        written.push(await run('delete from transactions', []).catch(({ code }) => code))
    })
  await expect
    .poll(async () => {
      await write()
      return written
    })
    .toEqual(['25006'])
})

test('what a read loads from the replica stays in no cache: it may be older than an announced change', async () => {
  const { world } = railyard
  const read = () =>
    readFromReplica(
      world,
      async ({ db, cache }) => (await isReplica(db)) && cache.get('bins', 'replica', async () => true),
    )
  await expect.poll(read).toBe(true)
  expect(await world.cache.get('bins', 'replica', async () => false)).toBe(false)
})

test('a report that is made while the replica dies is whole', async () => {
  const own = await openShop(railyard)
  const ids: string[] = []
  for (let count = 0; count < 3; count++) ids.push((await own.sold(1_00 + count)).id)
  await replicaServer.kill()
  expect((await report(own)).map(({ id }) => id).sort()).toEqual(ids.sort())
  await replicaServer.start()
})
