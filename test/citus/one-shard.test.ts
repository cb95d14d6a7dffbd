import { beforeAll, expect, test } from 'vitest'
import { card } from '../support/railyard.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'

const railyard = await startRailyardForFile()
let shop: Shop

/** Statements of this database that the coordinator has sent to one shard, and to several. */
async function executions(): Promise<{ one: number; several: number }> {
  const [row] = await railyard.world.run<{ one: number; several: number }>(
    `select query_execution_single_shard as one, query_execution_multi_shard as several
       from citus_stat_counters where name = current_database()`,
    [],
  )
  return row ?? expect.fail('no counters')
}

async function storedCard(): Promise<{ method: 'id'; id: string }> {
  const { body } = await shop.post('/payment-methods', { ...card, buyer_id: null })
  return { method: 'id', id: body.id }
}

const steps: Record<string, () => Promise<() => Promise<unknown>>> = {
  'a payment': async () => () => shop.pay(10_00),
  'a payment with an idempotency key': async () => () =>
    shop.pay(10_00, {}, { 'idempotency-key': 'one shard' }),
  'its repetition': async () => () => shop.pay(10_00, {}, { 'idempotency-key': 'one shard' }),
  'a payment with a stored card': async () => {
    const payment_method = await storedCard()
    return () => shop.pay(10_00, { payment_method })
  },
  'a payment that stores its card': async () => () => shop.pay(10_00, { store: true }),
  'a declined payment': async () => () => shop.pay(200_016),
  'a capture': async () => (await shop.authorized(10_00)).capture,
  'a void': async () => (await shop.authorized(10_00)).void,
  'an increment': async () => {
    const payment = await shop.authorized(10_00)
    return () => payment.increment(1_00)
  },
  'a refund': async () => (await shop.sold(10_00)).refund,
  'a read of a payment': async () => (await shop.authorized(10_00)).read,
  'the list of payments': async () => () => shop.get('/transactions'),
  'the timeline of a payment': async () => (await shop.authorized(10_00)).timeline,
}

beforeAll(async () => {
  shop = await openShop(railyard)
  // caches are filled, and functions created
  for (const prepare of Object.values(steps)) await (await prepare())()
})

test.each(Object.entries(steps))('every statement of %s runs on one shard', async (_, prepare) => {
  const step = await prepare()
  const before = await executions()
  await step()
  const after = await executions()
  expect(after.several - before.several).toBe(0)
  expect(after.one - before.one).toBeGreaterThan(0)
})
