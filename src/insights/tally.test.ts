import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import { updateInsights } from '../../test/support/insights.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import type { Tables } from '../database/tables.ts'
import { isoOf } from './columns/column.store.ts'
import { tally } from './tally.ts'

const railyard = await startRailyardForFile()

const MINUTE_MS = 60_000

/** Inserts payments of the last minute, a millisecond apart, with their events. */
const pay = (account: string, count: number) => {
  const start = isoOf(railyard.clock.now() - MINUTE_MS / 2)
  return sql`
    with paid as (
    insert into transactions (merchant_account_id, id, status, intent, intent_outcome, currency, amount, authorized_amount, captured_amount, refunded_amount, capture_reserved,
      refund_reserved, over_capture_allowance, capture_closed, facts, details, payment_source, merchant_initiated, is_subsequent_payment, pending_review, disputed, settled,
      settled_amount, created_at, updated_at)
    select ${account}, gen_random_uuid(), 'authorization_succeeded', 'authorize', 'succeeded', 'USD', 100, 100, 0, 0, 0, 0, 0, false, '{}', '{}', 'ecommerce', false, true, false,
           false, false, 0, ${start}::timestamptz + number * interval '1 ms', ${start}::timestamptz + number * interval '1 ms' from generate_series(1, ${count}) number
    returning merchant_account_id, id, created_at)
    ${eventsOf('paid')}`.execute(railyard.world.db)
}

/** Inserts the events that the commit of each change writes. */
const eventsOf = (rows: string) => sql`
  insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
  select merchant_account_id, gen_random_uuid(), 'transaction.authorized', id, 1, '{}', created_at from ${sql.raw(rows)}`

/** A database that runs `change` once, after the first page of payments has been read. */
function changingDatabase(db: Kysely<Tables>, change: () => Promise<unknown>): Kysely<Tables> {
  let changed = false
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!changed && result.rows.length >= 1_000) {
        changed = true
        await change()
      }
      return result
    },
  })
}

test('a payment that changes while changed payments are counted counts once', async () => {
  const { account } = await railyard.merchant()
  await pay(account, 5_100)
  const now = railyard.clock.now()
  const db = changingDatabase(railyard.world.db, () =>
    sql`with changed as (
        update transactions set updated_at = ${isoOf(now)}
         where merchant_account_id = ${account} and id = (select id from transactions where merchant_account_id = ${account} order by updated_at limit 1)
        returning merchant_account_id, id, created_at)
        ${eventsOf('changed')}`.execute(railyard.world.db),
  )
  const span = { from: now - MINUTE_MS, to: now + MINUTE_MS }
  const sums = await tally(
    { db },
    { account, population: 'authorization', span, filters: [], bucket: 2 * MINUTE_MS, withVolume: true },
  )
  expect(sums.get('0')).toEqual({ transactions: 5_100, authorized: 5_100, volume: 510_000 })
})

test('an account with broken columns does not stop the update of the others', async () => {
  const { db } = railyard.world
  const [broken, whole] = [await railyard.merchant(), await railyard.merchant()]
    .map(({ account }) => account)
    .sort()
  if (!broken || !whole) throw new Error('two merchants')
  await pay(broken, 10)
  await updateInsights(railyard)
  await db
    .updateTable('insight_hours')
    .set({ counted: Buffer.of(1) })
    .where('merchant_account_id', '=', broken)
    .execute()
  await pay(broken, 10)
  await pay(whole, 10)
  await updateInsights(railyard)
  const hours = await db
    .selectFrom('insight_hours')
    .select('hour')
    .where('merchant_account_id', '=', whole)
    .execute()
  expect(hours).not.toEqual([])
  expect(
    railyard.logged.filter((line) => line.includes(broken) && line.includes('metrics explorer')),
  ).toHaveLength(1)
})
