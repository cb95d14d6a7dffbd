import { expect, test } from 'vitest'
import { copyPayment } from '../../bench/verify/copy.ts'
import { card } from '../../test/support/railyard.ts'
import { rowsRead } from '../../test/support/rows-read.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { verify } from './verify.ts'

// Counts rows, not times: what a verification reads must grow with the payments, and not with their square.

const { railyard, shop } = await startShop({ comparesBooks: false })
const { run } = railyard.world

const PAYMENTS = 5_000
/** How often a verification may read a table. */
const TIMES = 30

/** A key for each payment; its stored answer is the first one's. */
const copyKeys = `
insert into idempotency_keys
select (jsonb_populate_record(k, jsonb_build_object('key', t.id, 'resource_id', t.id))).*
  from idempotency_keys k, transactions t
 where k.resource_id = $1::uuid and t.id <> $1::uuid`

test('a verification reads each table a fixed number of times, however many payments and keys there are', async () => {
  const headers = { 'idempotency-key': 'the first' }
  const { body: paid } = await shop.post(
    '/transactions',
    { amount: 12_99, currency: 'EUR', payment_method: card },
    headers,
  )
  await copyPayment(run, paid.id, PAYMENTS, { together: 1_000 })
  await run(copyKeys, [paid.id])
  await run('analyze', [])
  // as if there were so many that they do not fit into memory; this is the one session
  await run(`set work_mem = '64kB'`, [])
  const before = await rowsRead(railyard.world)
  await verify(run)
  for (const [name, read] of await rowsRead(railyard.world)) {
    const times = (read - (before.get(name) ?? 0)) / PAYMENTS
    expect({ name, isFew: times < TIMES, times }).toMatchObject({ isFew: true })
  }
})
