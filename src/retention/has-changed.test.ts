import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { copyPayment } from '../../bench/verify/copy.ts'
import { stopBackground } from '../../test/support/railyard.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { horizonOf, waitUntilReadable } from '../database/logs/event-log.ts'
import { hasChanged } from './has-changed.ts'

// Counts rows, not times: the last look at payments that are to be retired, under the locks, reads few of them.

const { railyard, shop } = await startShop({ comparesBooks: false })
const { world, clock } = railyard
await stopBackground(railyard)

const PAYMENTS = 2_000

/** How many rows this database transaction has read so far, by table. */
const selectReads = sql<{ name: string; read: number }>`
  select relname as name,
         (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as read
    from pg_stat_xact_user_tables`

/** Whether something has changed, and the tables of which that has read many rows. */
const look = (computed: Parameters<typeof hasChanged>[1]) =>
  world.db.transaction().execute(async (tx) => {
    const { rows: before } = await selectReads.execute(tx)
    const changed = await hasChanged(tx, computed)
    const { rows: after } = await selectReads.execute(tx)
    const readOf = (rows: typeof before, table: string) => rows.find(({ name }) => name === table)?.read ?? 0
    const tables = after.map(({ name }) => name)
    const large = tables.filter((table) => readOf(after, table) - readOf(before, table) > PAYMENTS / 4)
    return { changed, large }
  })

test('payments that are to be retired are looked at without reading all of them', async () => {
  const payment = await shop.sold(10_00)
  await copyPayment(world.run, payment.id, PAYMENTS)
  for (const table of ['transactions', 'operations', 'settlements']) await world.run(`analyze ${table}`, [])
  await waitUntilReadable(world)
  clock.advance(1_000)
  // copies have random ids
  const below = 'ffffffff-ffff-7fff-bfff-ffffffffffff'
  const computed = { below, startedAt: new Date(clock.now()).toISOString(), horizon: await horizonOf(world) }
  expect(await look(computed)).toEqual({ changed: false, large: [] })
  await payment.refund({ amount: 1_00 })
  expect(await look(computed)).toEqual({ changed: true, large: [] })
})
