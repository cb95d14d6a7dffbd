import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { UnusableDatabase } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { takeLock } from '../../src/database/postgres/advisory-lock.ts'
import { readSettings } from '../../src/settings.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts'
import { booksOf, expectBooksMatch, recoverFully } from '../support/provider.ts'
import { card, startTestRailyard, type TestRailyard } from '../support/railyard.ts'
import { openShop, type Shop } from '../support/shop.ts'

// A primary with a synchronous standby, both in DATABASE_URL, and what promotes the standby: an operator.

let servers: OwnPostgres[] = []
let both: string
let railyard: TestRailyard
let shop: Shop
const server = (index: number): OwnPostgres => servers[index] ?? expect.fail('the servers are not there')
const sql = async (at: OwnPostgres, statement: string) => {
  const client = new pg.Client({ connectionString: at.url })
  await client.connect()
  return client.query(statement).finally(() => client.end())
}
const locks = async (at: OwnPostgres): Promise<number> =>
  (await sql(at, `select from pg_locks where locktype = 'advisory' and granted`)).rows.length
beforeAll(async () => {
  const primary = await startOwnPostgres()
  servers = [primary]
  servers.push(await startOwnPostgres({ standbyOf: primary }))
  await sql(primary, `alter system set synchronous_standby_names = '*'`)
  await sql(primary, 'select pg_reload_conf()')
  // the standby first: its place says nothing about which one takes writes
  both = `postgres://postgres@${server(1).host},${server(0).host}/postgres?target_session_attrs=read-write`
  railyard = await startTestRailyard({ DATABASE_URL: both })
  shop = await openShop(railyard)
})
afterAll(async () => {
  await railyard.close()
  for (const { close } of servers) await close()
})

const pay = () =>
  railyard.send('POST', '/transactions', {
    headers: {
      authorization: `Bearer ${shop.token}`,
      'x-svc-merchant-account-id': shop.account,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ amount: 12_99, currency: 'EUR', payment_method: card }),
  })
const read = (id: string) =>
  railyard.send('GET', `/transactions/${id}`, {
    headers: { authorization: `Bearer ${shop.token}`, 'x-svc-merchant-account-id': shop.account },
  })

test('a standby, and hosts without a primary, are refused at the start with the reason of each', async () => {
  const standby = openDatabase(readSettings({ DATABASE_URL: server(1).url }))
  await expect(standby).rejects.toThrow(UnusableDatabase)
  await expect(standby).rejects.toThrow(/is a standby .*must lead to the primary/)
  const none = openDatabase(
    readSettings({ DATABASE_URL: `postgres://postgres@127.0.0.1:1,${server(1).host}/postgres` }),
  )
  await expect(none).rejects.toThrow(UnusableDatabase)
  await expect(none).rejects.toThrow(/no host takes writes \(127\.0\.0\.1:1: .*ECONNREFUSED.*: read-only\)/)
})

test('when the primary dies, requests get 503 until the standby is promoted: then payments, announcements and locks continue there', async () => {
  const paid = await pay()
  expect(paid.status).toBe(201)
  let lockLost = false
  const lock = await takeLock(both, 'failover test', () => {
    lockLost = true
  })
  onTestFinished(() => lock?.release())
  const held = await locks(server(0))
  expect(held).toBeGreaterThan(0)
  const booked = (await booksOf(railyard)).operations.length

  await server(0).kill()
  await expect.poll(() => railyard.world.isDatabaseUnavailable(), { timeout: 5_000 }).toBe(true)
  const refused = await Promise.all([pay(), read(paid.body.id)])
  for (const { status, body, headers } of refused)
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '2'])
  expect((await booksOf(railyard)).operations.length).toBe(booked)

  await server(1).promote()
  await expect.poll(async () => (await pay()).status, { timeout: 5_000 }).toBe(201)
  expect((await read(paid.body.id)).body.status).toBe(paid.body.status)
  await expect.poll(() => railyard.world.changes.isReliable, { timeout: 5_000 }).toBe(true)
  const heard: string[] = []
  railyard.world.changes.subscribe((topic) => heard.push(topic))
  await sql(server(1), `notify railyard_changes, 'bins'`)
  await expect.poll(() => heard).toEqual(['bins'])
  // the new primary knows no lock of the old one: the process takes its locks again
  await expect.poll(() => locks(server(1)), { timeout: 10_000 }).toBe(held)
  expect(lockLost).toBe(false)
  await recoverFully(railyard)
  await expectBooksMatch(railyard, shop.account)
})

test('while commits wait for a standby that is gone, requests get 503 within seconds; service is normal when they are released', async () => {
  const primary = server(1)
  const standbys = async (names: string) => {
    await sql(primary, `alter system set synchronous_standby_names = '${names}'`)
    await sql(primary, 'select pg_reload_conf()')
  }
  await standbys('gone')
  const hanging = await pay()
  expect([hanging.status, hanging.headers.get('retry-after')]).toEqual([503, '2'])
  // the commit still waits, so the next request is refused at once
  await expect.poll(() => railyard.world.changes.isReliable).toBe(false)
  expect((await pay()).status).toBe(503)
  await standbys('')
  await expect.poll(async () => (await pay()).status, { timeout: 5_000 }).toBe(201)
  await recoverFully(railyard)
  await expectBooksMatch(railyard, shop.account)
})

test('a former primary that still takes writes is not used, once a standby was promoted', async () => {
  const former = server(1)
  const standby = await startOwnPostgres({ standbyOf: former })
  servers.push(standby)
  const database = await openDatabase(
    readSettings({ DATABASE_URL: `postgres://postgres@${former.host},${standby.host}/postgres` }),
  )
  onTestFinished(database.close)
  const port = async () => {
    const [row] = await database.run<{ port: string }>(`select current_setting('port') as port`, [])
    return `127.0.0.1:${row?.port}`
  }
  expect(await port()).toBe(former.host)
  await standby.promote()
  // as after a cut: the connection that listens breaks, and both answer
  await sql(
    former,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'railyard listener'`,
  )
  await expect.poll(port, { timeout: 5_000 }).toBe(standby.host)
})
