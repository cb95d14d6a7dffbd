import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import {
  cutNow,
  retire,
  seal,
  startOldRailyard,
  startWithDuePayment,
} from '../../../test/support/domains/retention.ts'
import type { TestRailyard } from '../../../test/support/railyard.ts'
import { openShop } from '../../../test/support/shop.ts'
import { cutDueTables } from './cut-due-tables.ts'
import { cutTable } from './cut-table.ts'
import { lowestIdOf, partitionedTables } from './partitioned-tables.ts'

const DAY_MS = 86_400_000

async function startOld(): Promise<TestRailyard> {
  const railyard = await startOldRailyard()
  onTestFinished(() => railyard.close())
  return railyard
}

test('tables are divided again after all partitions but the newest were retired', async () => {
  const railyard = await startWithDuePayment()
  const { world, clock } = railyard
  await seal(railyard)
  expect(await retire(railyard)).toBeGreaterThan(0)
  // the server's clock is not moved
  clock.advance(Date.now() - clock.now())
  const cut = await cutDueTables(world, { wanted: 1, dividesSmall: true, maxMonths: 1 })
  expect(cut).toBe(partitionedTables.length)
})

test.each([
  ['the tables are too small to be divided', { wanted: 1_000_000, dividesSmall: false }],
  ['nothing is divided', undefined],
] as const)(
  'where a process died in a cut and %s by now, ids beyond its bound are taken again',
  async (_, size) => {
    const railyard = await startOld()
    const { world, clock } = railyard
    const shop = await openShop(railyard)
    const bound = lowestIdOf(clock.now() - 1)
    await world.run(
      `alter table transactions add constraint transactions_ends check (id < '${bound}') not valid`,
      [],
    )
    expect(await shop.pay(10_00)).toMatchObject({ status: 500 })
    expect(await cutDueTables(world, size)).toBe(0)
    expect(await shop.pay(10_00)).toMatchObject({ status: 201 })
  },
)

test('a partition that has payments already is read once when it gets its end, and not under the lock', async () => {
  const railyard = await startOld()
  const { world, clock } = railyard
  const shop = await openShop(railyard)
  await shop.sold(80_00)
  await cutNow(railyard)
  await shop.sold(90_00)
  const bound = lowestIdOf(clock.now() + DAY_MS)
  const [transactions] = partitionedTables
  const scans = await world.db.connection().execute(async (connection) => {
    const readScans = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(connection)
      const { rows } = await sql<{ scans: number }>`
        select seq_scan + coalesce(idx_scan, 0) as scans from pg_stat_user_tables where relname = 'transactions_p2'`.execute(
        connection,
      )
      return rows[0]?.scans ?? Number.NaN
    }
    const before = await readScans()
    const cut = await cutTable(connection, transactions, bound, {
      patience: 10_000,
      ahead: Number.NEGATIVE_INFINITY,
    })
    expect(cut).toBe('cut')
    return (await readScans()) - before
  })
  expect(scans).toBe(1)
})
