import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/database/open-database.ts'
import { bytesBefore } from '../../src/database/replicas/lag.ts'
import { openReadReplicas, type ReadReplicas } from '../../src/database/replicas/read-replicas.ts'
import { readPosition } from '../../src/database/replicas/wal-position.ts'
import { readSettings } from '../../src/settings.ts'
import { postgresServer } from '../processes/postgres-server.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts'
import { hasPgbouncer, startPgbouncer } from '../support/pgbouncer.ts'
import { startTestRailyard } from '../support/railyard.ts'
import { openShop } from '../support/shop.ts'

// Which servers may answer for a primary: positions are compared within one history of the log only.

async function start(options?: Parameters<typeof startOwnPostgres>[0]): Promise<OwnPostgres> {
  const server = await startOwnPostgres(options)
  onTestFinished(server.close)
  return server
}
async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(statement).finally(() => client.end())
  return rows
}
/** The replicas of a database that is migrated, as a process sees them. */
async function replicasOf(primaryUrl: string, ...urls: string[]): Promise<ReadReplicas> {
  const primary = await openDatabase(readSettings({ DATABASE_URL: primaryUrl }))
  const replicas = openReadReplicas({
    urls,
    maxConnections: 2,
    primary,
    counted: () => undefined,
    changed: () => undefined,
  })
  onTestFinished(() => replicas.close().finally(primary.close))
  return replicas
}
const problems = (replicas: ReadReplicas) => () => replicas.states().map(({ problem }) => problem)
const patient = { timeout: 15_000 }

test('after a failover, a standby of the former history that is ahead of the new primary is not read from; one that follows it is', async () => {
  const former = await start()
  const next = await start({ standbyOf: former })
  const stale = await start({ standbyOf: former })
  const railyard = await startTestRailyard({
    DATABASE_URL: `postgres://postgres@${former.host},${next.host}/postgres`,
    DATABASE_REPLICA_URLS: `${next.url} ${stale.url}`,
  })
  onTestFinished(railyard.close)
  const shop = await openShop(railyard)
  const own = problems(railyard.world.replicas)
  await expect.poll(own, patient).toEqual([undefined, undefined])

  // the next primary misses what the stale standby still gets: the log of each goes on from another position
  const nextServer = await postgresServer(next.url)
  await nextServer.kill()
  await query(former.url, 'create table filler as select * from generate_series(1, 50000)')
  const written = `select count(*)::int as rows from filler`
  await expect.poll(() => query(stale.url, written).catch(() => []), patient).toEqual([{ rows: 50_000 }])
  await former.kill()
  await nextServer.start()
  await next.promote()
  await expect.poll(async () => (await shop.pay(1_00)).status, patient).toBe(201)

  const payments = new Set<string>()
  for (let count = 0; count < 5; count++) {
    const { id } = await shop.authorized(2_00)
    payments.add(id)
    const listed = (await shop.get('/transactions?limit=100')).body.items.map(
      (item: { id: string }) => item.id,
    )
    expect([...payments].filter((paid) => !listed.includes(paid))).toEqual([])
  }
  await expect
    .poll(own, patient)
    .toEqual(['it is not a standby', expect.stringMatching(/does not follow the primary/)])
  // by its position alone it would be far enough
  const { lsn } = await readPosition(railyard.world)
  const [replayed] = await query(stale.url, 'select pg_last_wal_replay_lsn()::text as lsn')
  expect(bytesBefore(String(replayed?.['lsn']))).toBeGreaterThan(bytesBefore(lsn))

  const follower = await start({ standbyOf: next })
  const replicas = await replicasOf(next.url, follower.url)
  await expect.poll(problems(replicas), patient).toEqual([undefined])
  const found = async () => {
    const rows = await replicas.read(async (reader) =>
      reader?.run<{ id: string }>('select id from transactions', []),
    )
    return rows?.map(({ id }) => id)
  }
  // on a busy machine a read of the replica may not be in time, and goes to the primary
  await expect.poll(found, patient).toEqual(expect.arrayContaining([...payments]))
})

test('a standby of a primary that was put back to a snapshot of its disk is not read from, until it is built anew', async () => {
  const primary = await start()
  const ahead = await start({ standbyOf: primary })
  const railyard = await startTestRailyard({
    DATABASE_URL: primary.url,
    DATABASE_REPLICA_URLS: ahead.url,
  })
  onTestFinished(railyard.close)
  const shop = await openShop(railyard)
  const own = problems(railyard.world.replicas)
  await expect.poll(own, patient).toEqual([undefined])
  const [setting] = await query(primary.url, 'show data_directory')
  const data = String(setting?.['data_directory'])
  const snapshot = `${data}.snapshot`
  onTestFinished(() => rm(snapshot, { recursive: true, force: true }))
  const server = await postgresServer(primary.url)
  await server.kill()
  execFileSync('cp', ['-a', data, snapshot])
  await server.start()
  await expect.poll(async () => (await shop.pay(1_00)).status, patient).toBe(201)
  const { id: lost } = await shop.authorized(2_00)
  // the log of the snapshot does not come as far as the standby is
  await query(primary.url, 'create table filler as select * from generate_series(1, 50000)')
  const written = 'select count(*)::int as rows from filler'
  await expect.poll(() => query(ahead.url, written).catch(() => []), patient).toEqual([{ rows: 50_000 }])
  await server.kill()
  await rm(data, { recursive: true })
  execFileSync('cp', ['-a', snapshot, data])
  await server.start()
  await expect.poll(async () => (await shop.pay(3_00)).status, patient).toBe(201)
  const { id: made } = await shop.authorized(4_00)
  await expect.poll(own, patient).toEqual([expect.stringMatching(/does not follow the primary/)])
  const { items } = (await shop.get('/transactions?limit=100')).body
  const listed = items.map((item: { id: string }) => item.id)
  expect(listed).toContain(made)
  expect(listed).not.toContain(lost)

  const replicas = await replicasOf(primary.url, (await start({ standbyOf: primary })).url)
  await expect.poll(problems(replicas), patient).toEqual([undefined])
})

test('the primary itself, another instance’s server and a server without the schema are not read from', async () => {
  const primary = await start()
  const railyard = await startTestRailyard({ DATABASE_URL: primary.url })
  onTestFinished(railyard.close)
  const other = await start()
  const standbyOfOther = await start({ standbyOf: other })
  const replicas = await replicasOf(primary.url, primary.url, other.url, standbyOfOther.url)
  await expect
    .poll(problems(replicas), patient)
    .toEqual([
      'it is not a standby',
      expect.stringMatching(/cannot be asked: relation "wal_histories" does not exist/),
      expect.stringMatching(/cannot be asked: relation "wal_histories" does not exist/),
    ])
  expect(await replicas.read(async (reader) => reader)).toBe(undefined)

  // a standby of another instance, which has a history of its own
  const elsewhere = await startTestRailyard({ DATABASE_URL: other.url })
  onTestFinished(elsewhere.close)
  await readPosition(elsewhere.world)
  await expect
    .poll(problems(replicas), patient)
    .toEqual([
      'it is not a standby',
      'it is not a standby',
      expect.stringMatching(/does not follow the primary/),
    ])
})

test('a password that is wrong is told without the password, and the start goes on', async () => {
  const primary = await start()
  const railyard = await startTestRailyard({
    DATABASE_URL: primary.url,
    DATABASE_REPLICA_URLS: 'postgres://railyard:not-for-the-log@127.0.0.1:1/railyard',
  })
  onTestFinished(railyard.close)
  await expect
    .poll(() => railyard.logged.filter((line) => line.includes('the read replica is not used')))
    .toHaveLength(1)
  expect(railyard.logged.join()).toContain('127.0.0.1:1/railyard')
  expect(railyard.logged.join()).not.toContain('not-for-the-log')
  expect(await (await fetch(`${railyard.url}/metrics`)).text()).not.toContain('not-for-the-log')
  expect((await railyard.admin.get('/transactions')).status).toBe(200)
})

test('a role without privileges finds the position of the primary', async () => {
  const primary = await start()
  const railyard = await startTestRailyard({ DATABASE_URL: primary.url })
  onTestFinished(railyard.close)
  await query(primary.url, 'create role plain login')
  await query(primary.url, 'grant select, insert on wal_histories to plain')
  const database = await openDatabase(
    readSettings({ DATABASE_URL: primary.url.replace('postgres@', 'plain@') }),
  )
  onTestFinished(database.close)
  const [first, second] = await Promise.all([readPosition(database), readPosition(database)])
  expect(first.mark).toMatch(/^[0-9a-f-]{36}$/)
  expect((await readPosition(database)).mark).toBe((await readPosition(railyard.world)).mark)
  expect(bytesBefore(second.lsn)).toBeGreaterThan(0n)
})

test('a process stops while its replica is frozen', async () => {
  const primary = await start()
  const standby = await start({ standbyOf: primary })
  const railyard = await startTestRailyard({
    DATABASE_URL: primary.url,
    DATABASE_REPLICA_URLS: standby.url,
  })
  await expect.poll(problems(railyard.world.replicas), patient).toEqual([undefined])
  expect((await railyard.admin.get('/transactions')).status).toBe(200)
  const server = await postgresServer(standby.url)
  onTestFinished(server.thaw)
  server.freeze()
  await railyard.close()
})

test.runIf(hasPgbouncer)('a replica behind PgBouncer in transaction mode is not read from', async () => {
  const primary = await start()
  const railyard = await startTestRailyard({ DATABASE_URL: primary.url })
  onTestFinished(railyard.close)
  const standby = await start({ standbyOf: primary })
  const bouncer = await startPgbouncer(standby.url, { pool_mode: 'transaction' })
  onTestFinished(bouncer.close)
  const replicas = await replicasOf(primary.url, bouncer.url)
  await expect
    .poll(problems(replicas), patient)
    .toEqual([expect.stringMatching(/connections of DATABASE_REPLICA_URLS .*pool_mode = session/)])
})
