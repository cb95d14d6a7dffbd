import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { card, stopBackground } from '../../test/support/railyard.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { currentRequest } from '../api/request/request-context.ts'

// Counts, not times: the exact statements of a request and the bytes that it leaves. A change that costs more
// changes a number here, and its commit says why.

const { railyard, shop } = await startShop({ comparesBooks: false })
// statements of the same moment share a commit, and one of the background may be in it
await stopBackground(railyard)

/**
 * The queries of requests, without those of background work. `statements`: hand-written ones, each a commit
 * by itself. `composed`: queries built with Kysely.
 */
const counted = { statements: 0, composed: 0 }
let lastQueryAt = 0

/** The refreshing of statistics. It gets its connection when a request releases one, in that request's context. */
const isUpkeep = (text: unknown) =>
  typeof text === 'string' && /^\s*(?:analyze|vacuum)\b|pg_stat_user_tables/i.test(text)

beforeEach(() => {
  const { query } = pg.Client.prototype
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...values: unknown[]) {
    lastQueryAt = performance.now()
    const [text] = values
    if (currentRequest() && !isUpkeep(text))
      counted[typeof text === 'string' ? 'composed' : 'statements'] += 1
    return Reflect.apply(query, this, values)
  })
})
afterEach(() => vi.restoreAllMocks())

const QUIET_MS = 100

/**
 * Waits until the background work of the request before, such as sending its events, is over: statements of
 * the same moment share a commit, which counts for the request that sends it.
 */
async function costOf(work: () => Promise<{ status: number }>): Promise<typeof counted & { status: number }> {
  await vi.waitUntil(() => performance.now() - lastQueryAt > QUIET_MS, { timeout: 10_000 })
  Object.assign(counted, { statements: 0, composed: 0 })
  const { status } = await work()
  return { ...counted, status }
}

const payment = {
  amount: 1299,
  currency: 'USD',
  country: 'US',
  external_identifier: 'order-1048576',
  payment_method: card,
  buyer: {
    display_name: 'Ada Lovelace',
    external_identifier: 'customer-4711',
    billing_details: { email_address: 'ada@example.com' },
  },
  metadata: { cart: '8c1d0f', channel: 'web' },
}

const free = { composed: 0, statements: 0 }

test('a payment is two statements: its intention and its outcome', async () => {
  const pay = () => shop.post('/transactions', payment)
  // fills the caches
  await pay()
  for (let time = 0; time < 3; time++)
    expect(await costOf(pay)).toEqual({ ...free, status: 201, statements: 2 })
  const keyed = () => shop.post('/transactions', payment, { 'idempotency-key': railyard.world.ids.next() })
  expect(await costOf(keyed)).toEqual({ ...free, status: 201, statements: 2 })
})

test('a payment with a stored card reads it first', async () => {
  const { body: stored } = await shop.post('/payment-methods', card)
  const pay = () =>
    shop.post('/transactions', { ...payment, payment_method: { method: 'id', id: stored.id } })
  await pay()
  expect(await costOf(pay)).toEqual({ ...free, status: 201, statements: 3 })
})

test('an action on a payment reads the payment first, and a read is one statement', async () => {
  const { body: first } = await shop.post('/transactions', payment)
  // fills the caches
  await shop.post(`/transactions/${first.id}/capture`)
  const { body: paid } = await shop.post('/transactions', payment)
  const path = `/transactions/${paid.id}`
  expect(await costOf(() => shop.get(path))).toEqual({ ...free, status: 200, statements: 1 })
  expect(await costOf(() => shop.post(`${path}/capture`, { amount: 1299 }))).toEqual({
    ...free,
    status: 200,
    statements: 3,
  })
  expect(await costOf(() => shop.post(`${path}/refunds`, { amount: 99 }))).toEqual({
    ...free,
    status: 201,
    statements: 3,
  })
  expect(await costOf(() => shop.get('/transactions?limit=20'))).toEqual({
    ...free,
    status: 200,
    composed: 1,
  })
})

test('the actions of a caller with a spending limit take as many statements, also where the limit refuses them', async () => {
  const agent = await railyard.client({ account: shop.account, merchantAccountIds: [shop.account] })
  const limit = { operation: 'refund', currency: 'USD', per_day: 99 }
  await shop.post('/spending-limits', { ...limit, subject: { type: 'api-key-pair', id: agent.keyId } })
  const { body: paid } = await shop.post('/transactions', { ...payment, intent: 'capture' })
  const refund = () => agent.post(`/transactions/${paid.id}/refunds`, { amount: 33 })
  // fills the caches
  expect(await refund()).toMatchObject({ status: 201 })
  expect(await costOf(refund)).toEqual({ ...free, status: 201, statements: 3 })
  expect(await refund()).toMatchObject({ status: 201 })
  expect(await costOf(refund)).toEqual({ ...free, status: 403, statements: 2 })
})

const selectRowSizes = `
select (select pg_column_size(t) from transactions t where merchant_account_id = $1 and id = $2::uuid) as transactions,
       (select sum(pg_column_size(o)) from operations o where merchant_account_id = $1 and transaction_id = $2::uuid) as operations,
       (select sum(pg_column_size(e)) from transaction_events e where merchant_account_id = $1 and transaction_id = $2::uuid) as transaction_events,
       (select sum(pg_column_size(e)) from events e where merchant_account_id = $1 and target_id = $2::uuid) as events,
       (select sum(pg_column_size(a)) from audit_entries a where merchant_account_id = $1 and resource_id = $2::text) as audit_entries`

/**
 * Without the indexes for erasures, events about people, reviews and unknown outcomes while these are empty (one
 * page): a payment without any of these has no entry in them.
 */
const selectIndexCounts = `
select relname as "table", count(*)::int as count
  from pg_index
  join pg_class c on c.oid = indrelid
 where relname in ('transactions', 'operations', 'transaction_events', 'events', 'audit_entries')
   and not (indexrelid::regclass::text in ('transactions_to_erase', 'events_of_people', 'transactions_in_review', 'operations_unknown') and pg_relation_size(indexrelid) = 8192)
 group by relname
 order by relname`

test('a payment leaves rows of the expected sizes, and its tables have the expected number of indexes', async () => {
  const { world } = railyard
  const largest: Record<string, number> = {}
  // a timestamp is shorter when its last digits are zeros: take the largest of three
  for (let time = 0; time < 3; time++) {
    const { body } = await shop.post('/transactions', payment)
    const [bytes = {}] = await world.run<Record<string, number>>(selectRowSizes, [shop.account, body.id])
    for (const [table, size] of Object.entries(bytes)) largest[table] = Math.max(size, largest[table] ?? 0)
  }
  const { operations = 0, ...unpacked } = largest
  // the timeline of a payment without other operations is in its operation's row
  expect(unpacked).toEqual({ transactions: 1048, events: 436, audit_entries: 216, transaction_events: 0 })
  // some bytes more or less: ids are deflated
  expect(operations).toBeLessThan(900)
  // each index costs a payment one entry, or two if the row is written again
  const counts = await world.run<{ table: string; count: number }>(selectIndexCounts, [])
  expect(Object.fromEntries(counts.map(({ table, count }) => [table, count]))).toEqual({
    // eleven of them have a payment once it has an outcome, one of them until then
    transactions: 20,
    // one of them has refunds alone
    operations: 5,
    transaction_events: 1,
    events: 1,
    // one of them has the changes of proposals alone, one those of key pairs and people
    audit_entries: 4,
  })
})
