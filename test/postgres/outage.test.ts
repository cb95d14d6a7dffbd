import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/open-database.ts'
import { type Railyard, startRailyard } from '../../src/process/railyard.ts'
import { booksOf, expectBooksMatch, recoverFully } from '../support/provider.ts'
import { type Answer, startTestRailyard, type TestRailyard } from '../support/railyard.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { type Failure, startProxy, type Way } from './proxy.ts'

// A server whose way to its database is cut, beside one on the same database that has another way.

let well: TestRailyard
let proxy: Way
let cut: Railyard
let shop: Shop
beforeAll(async () => {
  well = await startTestRailyard()
  const database = new URL(well.world.settings.databaseUrl ?? '')
  proxy = await startProxy(database.hostname, Number(database.port))
  database.port = String(proxy.port)
  cut = await startRailyard(
    { ...well.world.settings, databaseUrl: database.href, databasePool: 4, sandboxUrl: well.simulatorUrl },
    { clock: well.clock, log: well.world.log, inMemory: true },
  )
  shop = await openShop(well)
})
afterEach(() => proxy.mend())
afterAll(async () => {
  await cut.close()
  await proxy.close()
  await well.close()
})

interface Timed extends Pick<Answer, 'status' | 'body'> {
  ms: number
  retryAfter: string | null
}

async function ask(method: string, path: string, body?: object): Promise<Timed> {
  const began = performance.now()
  const answer = await fetch(`${cut.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${shop.token}`,
      'x-svc-merchant-account-id': shop.account,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return {
    status: answer.status,
    body: await answer.json(),
    ms: performance.now() - began,
    retryAfter: answer.headers.get('retry-after'),
  }
}
const card = { method: 'card', number: '4111111111111111', expiration_date: '12/35', security_code: '123' }
const pay = () => ask('POST', '/transactions', { amount: 12_99, currency: 'EUR', payment_method: card })
const isReady = async () => (await ask('GET', '/health/ready')).status === 200

const AWAY_MS = 3_000

test.each<Failure>(['black hole', 'reset'])(
  'a database behind a %s: every request is told to come back, none of them asks for money, and all is well soon after it is there again',
  async (failure) => {
    expect((await pay()).status).toBe(201)
    const booked = (await booksOf(well)).operations.length
    proxy.fail(failure)
    const answers: Promise<Timed>[] = []
    for (const until = performance.now() + AWAY_MS; performance.now() < until; await wait(100))
      answers.push(pay(), ask('GET', '/transactions?limit=1'))
    expect(await ask('GET', '/health/ready')).toMatchObject({
      status: 503,
      body: { checks: { database: 'failed' } },
    })
    expect(await ask('GET', '/health/live')).toMatchObject({ status: 200 })
    const refused = (await Promise.all(answers)).filter(({ status }) => status !== 201)
    expect(
      new Set(refused.map(({ status, body, retryAfter }) => `${status} ${body.code} ${retryAfter}`)),
    ).toEqual(new Set(['503 service_unavailable 2']))
    expect(refused.length).toBeGreaterThan(answers.length / 2)
    expect(cut.world.changes.isReliable).toBe(false)
    expect((await booksOf(well)).operations.length - booked).toBeLessThanOrEqual(1)
    proxy.mend()
    await expect.poll(isReady, { timeout: 5_000, interval: 50 }).toBe(true)
    expect((await pay()).status).toBe(201)
    await expect.poll(() => cut.world.changes.isReliable, { timeout: 5_000 }).toBe(true)
    await recoverFully(well)
    await expectBooksMatch(well, shop.account)
  },
)

test('a server behind a silent connection learns of a revocation as soon as the database answers again', async () => {
  const client = await well.client({ account: shop.account })
  const lists = async () =>
    (
      await fetch(`${cut.url}/transactions`, {
        headers: { authorization: `Bearer ${client.token}`, 'x-svc-merchant-account-id': shop.account },
      })
    ).status
  expect(await lists()).toBe(200)
  proxy.fail('black hole')
  await well.admin.put(`/api-key-pairs/${client.keyId}`, { active: false })
  await expect.poll(() => cut.world.changes.isReliable, { timeout: 5_000 }).toBe(false)
  proxy.mend()
  await expect.poll(isReady, { timeout: 5_000, interval: 50 }).toBe(true)
  expect(await lists()).toBe(401)
})

test('a request gets 503 if every connection is taken or rows stay locked', async () => {
  const other = new pg.Client({ connectionString: well.world.settings.databaseUrl })
  await other.connect()
  await other.query('begin; lock table operations in access exclusive mode')
  const [locked, ...queued] = await Promise.all(Array.from({ length: 12 }, pay))
  await other.query('rollback')
  await other.end()
  for (const answer of [locked, ...queued])
    expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' }, retryAfter: '2' })
  expect((await pay()).status).toBe(201)
})

test('a database that does not answer is closed without its goodbye', async () => {
  const database = await openDatabase(cut.world.settings)
  // between two heartbeats no statement is under way that would fail
  await wait(700)
  proxy.fail('black hole')
  await database.close()
})
