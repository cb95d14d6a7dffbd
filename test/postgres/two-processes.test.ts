import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { revokeKeyPair } from '../../src/accounts/api-keys/api-key-pair.store.ts'
import type { Topic } from '../../src/database/changes.ts'
import { startRailyard } from '../../src/process/railyard.ts'
import { booksOf, expectBooksMatch } from '../support/provider.ts'
import { type Answer, type Client, card } from '../support/railyard.ts'
import { roleIds } from '../support/roles.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'
import { goodClaims, signed } from '../support/tokens.ts'

// Two servers on one PostgreSQL, as behind a load balancer. They share nothing else: each has its own caches,
// pool and listener.
const first = await startRailyardForFile()
const second = await startRailyard(
  { ...first.world.settings, sandboxUrl: first.simulatorUrl },
  { clock: first.clock, log: first.world.log, inMemory: true },
)
afterAll(() => second.close())

const payment = { amount: 10_00, currency: 'USD', payment_method: card }

/** The same client, at the other server. */
async function atSecond(
  { token, account }: Client,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(`${second.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'x-svc-merchant-account-id': account,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json(), headers: answer.headers }
}

/** How long it takes until the other server answers so. */
async function elapsedUntil(status: number, ask: () => Promise<Answer>): Promise<number> {
  const started = performance.now()
  while ((await ask()).status !== status) if (performance.now() - started > 5_000) break
  return performance.now() - started
}

test('a key that is revoked at one server is refused by the other at once, also with tokens that it has verified', async () => {
  const merchant = await first.merchant()
  const client = await first.client({ account: merchant.account })
  expect((await atSecond(client, 'GET', '/transactions')).status).toBe(200)
  await revokeKeyPair(first.world, client.keyId)
  expect(await elapsedUntil(401, () => atSecond(client, 'GET', '/transactions'))).toBeLessThan(5_000)
  expect((await client.get('/transactions')).status).toBe(401)
})

test('a key that is switched off by the API of one server is refused by the other at once, and taken again when it is on', async () => {
  const client = await first.client({ account: 'default' })
  const lists = () => atSecond(client, 'GET', '/transactions')
  expect((await lists()).status).toBe(200)
  await first.admin.put(`/api-key-pairs/${client.keyId}`, { active: false })
  expect(await elapsedUntil(401, lists)).toBeLessThan(5_000)
  await first.admin.put(`/api-key-pairs/${client.keyId}`, { active: true })
  expect(await elapsedUntil(200, lists)).toBeLessThan(5_000)
  await first.admin.put(`/api-key-pairs/${client.keyId}`, { role_ids: roleIds('processing') })
  expect(await elapsedUntil(403, () => atSecond(client, 'GET', '/roles'))).toBeLessThan(5_000)
})

test('a payment service that is switched off at one server takes no payment at the other', async () => {
  const merchant = await first.merchant()
  const pays = () => atSecond(merchant, 'POST', '/transactions', payment)
  expect((await pays()).body).toMatchObject({ status: 'authorization_succeeded' })
  await merchant.put(`/payment-services/${merchant.paymentServiceId}`, { active: false })
  const started = performance.now()
  while ((await pays()).body.error_code !== 'all_attempts_skipped')
    expect(performance.now() - started).toBeLessThan(10_000)
  await merchant.put(`/payment-services/${merchant.paymentServiceId}`, { active: true })
  await expect.poll(async () => (await pays()).body.status).toBe('authorization_succeeded')
})

test('a merchant account and a key of one server are known to the other, though it has just been asked for them in vain', async () => {
  const account = `m-${randomUUID()}`
  const early = await first.client({ account })
  expect((await atSecond(early, 'GET', '/transactions')).status).toBe(403)
  await first.admin.post('/merchant-accounts', { id: account, display_name: 'New' })
  await expect.poll(async () => (await atSecond(early, 'GET', '/transactions')).status).toBe(200)
})

test('100 requests with one idempotency key, over both servers at once, are one payment', async () => {
  const merchant = await first.merchant()
  const key = { 'idempotency-key': randomUUID() }
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      index % 2 === 0
        ? merchant.post('/transactions', payment, key)
        : atSecond(merchant, 'POST', '/transactions', payment, key),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(201))
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect((await merchant.get('/transactions')).body.items).toHaveLength(1)
  const { operations, attempts } = await booksOf(first)
  const booked = operations.filter((operation) => operation.payment_service_id === merchant.paymentServiceId)
  expect(booked.map(({ key }) => attempts[key])).toEqual([1])
  await expectBooksMatch(first, merchant.account)
  const other = await atSecond(merchant, 'POST', '/transactions', { ...payment, amount: 1 }, key)
  expect(other).toMatchObject({
    status: 409,
    body: { code: 'duplicate_record', resource_id: answers[0]?.body.id },
  })
})

test('the rate of a browser’s token is counted over both servers: exactly 50', async () => {
  const merchant = await first.merchant()
  const browser = { ...merchant, token: await signed(merchant.signer, goodClaims({ scopes: ['embed'] })) }
  const offer = { ...payment, currency: 'XXQ' }
  const headers = { authorization: `Bearer ${browser.token}` }
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      index % 2 === 0
        ? merchant.post('/transactions', offer, headers)
        : atSecond(browser, 'POST', '/transactions', offer),
    ),
  )
  const refused = answers.filter(({ status }) => status === 429)
  expect([answers.length - refused.length, refused.length]).toEqual([50, 150])
  expect(refused.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true)
})

test('captures over both servers at once never exceed the authorization', async () => {
  const merchant = await first.merchant()
  const { body } = await merchant.post('/transactions', payment)
  const capture = { amount: 6_00 }
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? merchant.post(`/transactions/${body.id}/capture`, capture)
        : atSecond(merchant, 'POST', `/transactions/${body.id}/capture`, capture),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await atSecond(merchant, 'GET', `/transactions/${body.id}`)).body).toMatchObject({
    captured_amount: 6_00,
  })
})

/**
 * A change of each table that servers keep copies of; a statement tells of it even where it changes no row.
 */
const changing = {
  merchant_accounts: [
    'update merchant_accounts set display_name = display_name where false',
    'delete from account_clocks where false',
  ],
  payment_services: ['update payment_services set active = false where false'],
  payment_service_health: ['update payment_service_circuits set state = state where false'],
  gift_card_services: ['update gift_card_services set active = false where false'],
  anti_fraud_services: ['update anti_fraud_services set active = false where false'],
  api_key_pairs: [
    'update api_key_pairs set deleted_at = now() where false',
    'update api_key_pairs set active = false where false',
  ],
  users: ["update users set status = 'deleted' where false", 'delete from user_sessions where false'],
  webhook_subscriptions: ['update webhook_subscriptions set active = false where false'],
  bins: ['delete from bins where false'],
  three_d_secure: [
    'delete from three_d_secure_configurations where false',
    'delete from three_d_secure_scenarios where false',
  ],
  flow_rules: ['update flow_rulesets set state = state where false'],
  approval_policies: ['update approval_policies set active = false where false'],
  spending_limits: ['delete from spending_limits where false'],
} satisfies Record<Topic, string[]>

test('a change is known to every server by its commit alone: whoever made it may die before anything else', async () => {
  const heard: Topic[] = []
  second.world.changes.subscribe((topic) => void heard.push(topic))
  for (const [topic, statements] of Object.entries(changing))
    for (const statement of statements) {
      heard.length = 0
      await first.world.run(statement, [])
      await expect.poll(() => heard).toEqual([topic])
    }
  heard.length = 0
  await first.world.run('update api_key_pairs set last_used_at = now() where false', [])
  await first.world.run('update user_sessions set last_seen_at = now() where false', [])
  await first.world.run('delete from bins where false', [])
  await expect.poll(() => heard).toEqual(['bins'])
})

test('a server whose listener was cut off does not trust what it remembers', async () => {
  const merchant = await first.merchant()
  const client = await first.client({ account: merchant.account })
  expect((await atSecond(client, 'GET', '/transactions')).status).toBe(200)
  const database = new pg.Client({ connectionString: first.world.settings.databaseUrl })
  await database.connect()
  const { rowCount } = await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'railyard listener'`,
  )
  expect(rowCount).toBe(2)
  await expect
    .poll(() => [first.world.changes.isReliable, second.world.changes.isReliable])
    .toEqual([false, false])
  await revokeKeyPair(first.world, client.keyId)
  expect((await atSecond(client, 'GET', '/transactions')).status).toBe(401)
  await expect.poll(() => second.world.changes.isReliable, { timeout: 5_000 }).toBe(true)
  const after = await first.client({ account: merchant.account })
  expect((await atSecond(after, 'GET', '/transactions')).status).toBe(200)
  await revokeKeyPair(first.world, after.keyId)
  expect(await elapsedUntil(401, () => atSecond(after, 'GET', '/transactions'))).toBeLessThan(5_000)
  await database.end()
})
