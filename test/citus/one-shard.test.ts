import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type Answer, card, stopBackground } from '../support/railyard.ts'
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
  const { status, body } = await shop.post('/payment-methods', card)
  expect(status).toBe(201)
  return { method: 'id', id: body.id }
}

/** Sends a request, which must succeed. */
const done = async (sending: Promise<Answer>) => expect((await sending).status).toBeLessThan(300)

const steps: Record<string, () => Promise<() => Promise<unknown>>> = {
  'a payment': async () => () => done(shop.pay(10_00)),
  'a payment with an idempotency key': async () => {
    const key = randomUUID()
    return () => done(shop.pay(10_00, {}, { 'idempotency-key': key }))
  },
  'a repetition under the key': async () => {
    const key = randomUUID()
    const pay = () => done(shop.pay(10_00, {}, { 'idempotency-key': key }))
    await pay()
    return pay
  },
  'a payment with a stored card': async () => {
    const payment_method = await storedCard()
    return () => done(shop.pay(10_00, { payment_method }))
  },
  'a payment that stores its card': async () => () => done(shop.pay(10_00, { store: true })),
  'a declined payment': async () => () => done(shop.pay(200_016)),
  'a capture': async () => {
    const payment = await shop.authorized(10_00)
    return () => done(payment.capture())
  },
  'a void': async () => {
    const payment = await shop.authorized(10_00)
    return () => done(payment.void())
  },
  'an increment': async () => {
    const payment = await shop.authorized(10_00)
    return () => done(payment.increment(1_00))
  },
  'a refund': async () => {
    const payment = await shop.sold(10_00)
    return () => done(payment.refund())
  },
  'a read of a payment': async () => (await shop.authorized(10_00)).read,
  'the list of payments': async () => () => done(shop.get('/transactions')),
  'the timeline of a payment': async () => (await shop.authorized(10_00)).timeline,
}

beforeAll(async () => {
  shop = await openShop(railyard)
  // it asks all shards
  await stopBackground(railyard)
  // caches are filled, and functions created
  for (const prepare of Object.values(steps)) await (await prepare())()
})

test('a statement over all accounts counts as one that runs on several shards', async () => {
  const before = await executions()
  await railyard.world.run('select count(*) from transactions', [])
  expect((await executions()).several - before.several).toBe(1)
})

test.each(Object.entries(steps))('every statement of %s runs on one shard', async (_, prepare) => {
  const step = await prepare()
  const before = await executions()
  await step()
  const after = await executions()
  expect(after.several - before.several).toBe(0)
  expect(after.one - before.one).toBeGreaterThan(0)
})
