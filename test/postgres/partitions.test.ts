import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { cutTable } from '../../src/database/partitions/cut-table.ts'
import { keepPartitions } from '../../src/database/partitions/keep-partitions.ts'
import { lowestIdOf, partitionedTables } from '../../src/database/partitions/partitioned-tables.ts'
import { readPartitions } from '../../src/database/partitions/read-partitions.ts'
import { expectBooksMatch, recoverFully } from '../support/provider.ts'
import { startTestRailyard } from '../support/railyard.ts'
import { openShop } from '../support/shop.ts'

vi.setConfig({ testTimeout: 120_000 })

async function startShop() {
  const railyard = await startTestRailyard()
  onTestFinished(railyard.close)
  return { railyard, world: railyard.world, shop: await openShop(railyard) }
}

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
  const cut = await keepPartitions(world, { wanted: 1, dividesSmall: true })
  isCut = true
  await Promise.all(buyers)
  expect(cut).toBeGreaterThanOrEqual(partitionedTables.length)
  // a slow machine may leave a capture pending, so that its refund is a 400
  expect(statuses.filter((status) => status >= 500)).toEqual([])
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
