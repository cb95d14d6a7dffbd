import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { cutDueTables } from '../../src/database/partitions/cut-due-tables.ts'
import { cutTable } from '../../src/database/partitions/cut-table.ts'
import { lowestIdOf, partitionedTables } from '../../src/database/partitions/partitioned-tables.ts'
import { readPartitions } from '../../src/database/partitions/read-partitions.ts'
import { launch, type Running } from '../crash/process.ts'
import {
  cutNow,
  DAY_MS,
  KEPT_MS,
  retire,
  startOldRailyard,
  verifyFindings,
} from '../support/domains/retention.ts'
import { expectBooksMatch, recoverFully } from '../support/provider.ts'
import { card, startTestRailyard, type TestRailyard } from '../support/railyard.ts'
import { openShop } from '../support/shop.ts'

async function startShop() {
  const railyard = await startTestRailyard()
  onTestFinished(railyard.close)
  return { railyard, world: railyard.world, shop: await openShop(railyard) }
}

/** The reasons of failed requests, for a failed test to tell. */
const errorsLogged = ({ logged }: TestRailyard): string =>
  logged.filter((line) => line.includes('"level":50')).join('')

test('tables are divided while payments are made, captured and refunded, and none fails', async () => {
  const { railyard, world, shop } = await startShop()
  const statuses: number[] = []
  let isCut = false
  const buyers = Array.from({ length: 8 }, async () => {
    for (let after = 0; after < 3; after += isCut ? 1 : 0) {
      const { status, body } = await shop.pay(10_00)
      const captured = await shop.post(`/transactions/${body.id}/capture`, { amount: 10_00 })
      const refunded = await shop.post(`/transactions/${body.id}/refunds`, { amount: 1_00 })
      statuses.push(status, captured.status, refunded.status)
    }
  })
  await vi.waitUntil(() => statuses.length > 50, { timeout: 60_000 })
  const cut = await cutDueTables(world, { wanted: 1, dividesSmall: true })
  isCut = true
  await Promise.all(buyers)
  expect(cut).toBeGreaterThanOrEqual(partitionedTables.length)
  // a slow machine may leave a capture pending, so that its refund is a 400
  expect(
    statuses.filter((status) => status >= 500),
    errorsLogged(railyard),
  ).toEqual([])
  expect((await readPartitions(world.db)).every(({ isPartition }) => isPartition)).toBe(true)
  await recoverFully(railyard)
  await expectBooksMatch(railyard, shop.account)
})

test('a cut that a long transaction keeps from its lock is put off, and payments go on', async () => {
  const { world, shop } = await startShop()
  const reader = new pg.Client({ connectionString: world.settings.databaseUrl })
  await reader.connect()
  onTestFinished(() => reader.end())
  await reader.query('begin')
  await reader.query('select count(*) from transactions')
  const [table] = partitionedTables
  const bound = lowestIdOf(Date.now() + 5 * 86_400_000)
  const cut = cutTable(world.db, table, bound, { patience: 1_500, ahead: 0 })
  expect(await shop.pay(10_00)).toMatchObject({ status: 201 })
  expect(await cut).toBe('later')
  await reader.query('commit')
  expect(await cutTable(world.db, table, bound, { patience: 5_000, ahead: 0 })).toBe('cut')
  expect(await shop.pay(10_00)).toMatchObject({ status: 201 })
})

/** An instance with payments that are old enough to be retired, whatever the machine's clock. */
async function startOldShop() {
  const railyard = await startOldRailyard()
  onTestFinished(railyard.close)
  const shop = await openShop(railyard)
  const payment = await shop.sold(10_00)
  await shop.sold(20_00)
  await cutNow(railyard)
  railyard.clock.advance(40 * DAY_MS)
  await payment.refund({ amount: 1_00 })
  const kept = await shop.sold(30_00)
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS - 20 * DAY_MS)
  return { railyard, world: railyard.world, shop, payment, kept }
}

test('a process that is killed while it retires payments leaves all of them, and the next one retires them', async () => {
  const { railyard, world } = await startOldShop()
  const { databaseUrl = '', dataDir } = world.settings
  const reader = new pg.Client({ connectionString: databaseUrl })
  await reader.connect()
  onTestFinished(() => reader.end())
  // with this lock held, the process has computed everything and waits to drop the partitions
  await reader.query('begin')
  await reader.query('select count(*) from settlements')
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, RETENTION_MONTHS: '14' }
  const operator: Running = launch(['src/main.js', 'partitions', 'retire', '--yes'], env, /(?!)/)
  operator.ready.catch(() => undefined)
  await vi.waitUntil(
    async () =>
      (
        await world.run(
          `select
             from pg_locks
            where mode = 'AccessExclusiveLock'
              and not granted
              and database = (select oid from pg_database where datname = current_database())`,
          [],
        )
      ).length > 0,
    { timeout: 60_000, interval: 20 },
  )
  operator.kill()
  await operator.ended
  await reader.query('rollback')
  expect(await world.run('select from transactions', [])).toHaveLength(3)
  expect(await world.run('select from retired_links', [])).not.toEqual([])
  expect(await verifyFindings(railyard)).toEqual([])
  await vi.waitUntil(async () => (await retire(railyard)) === 5, { timeout: 30_000, interval: 100 })
  expect(await world.run('select from transactions', [])).toHaveLength(1)
  expect(await verifyFindings(railyard)).toEqual([])
})

test('payments are retired while others are made, and none fails', async () => {
  const { railyard, world, shop, payment, kept } = await startOldShop()
  const client = await railyard.client({ account: shop.account })
  const statuses: number[] = []
  let isRetired = false
  const buyers = Array.from({ length: 8 }, async () => {
    for (let after = 0; after < 3; after += isRetired ? 1 : 0) {
      const { status, body } = await client.post('/transactions', {
        amount: 10_00,
        currency: 'EUR',
        payment_method: card,
      })
      const captured = await client.post(`/transactions/${body.id}/capture`, { amount: 10_00 })
      const old = await client.get(`/transactions/${payment.id}`)
      const refund = await client.post(`/transactions/${kept.id}/refunds`, { amount: 1 })
      const list = await client.get('/transactions?limit=5')
      statuses.push(status, captured.status, old.status, refund.status, list.status)
    }
  })
  await vi.waitUntil(() => statuses.length > 60, { timeout: 60_000 })
  expect(await retire(railyard)).toBe(5)
  isRetired = true
  await Promise.all(buyers)
  expect(
    statuses.filter((status) => status >= 500),
    errorsLogged(railyard),
  ).toEqual([])
  expect(await client.get(`/transactions/${payment.id}`)).toMatchObject({ status: 404 })
  expect(await verifyFindings(railyard)).toEqual([])
  expect(await world.run('select from retirements where retired_at is not null', [])).toHaveLength(1)
})
