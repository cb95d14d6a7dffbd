import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { decline, path } from '../../../test/support/domains/replay.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import type { World } from '../../world.ts'
import { compileRules } from '../compile.ts'
import { replay } from './replay.ts'
import { replayLocks } from './replay-lock.ts'
import { newTally } from './replay-tally.ts'

const railyard = await startRailyardForFile()

describe('a replay of many transactions', () => {
  const MANY = 2_345
  let shop: Shop

  /** Many transactions have the same time: a page ends between two that differ only in their ids. */
  const fill = (world: World, account: string, service: string) =>
    sql`
      insert into transactions (
        merchant_account_id, id, status, intent, intent_outcome, currency, amount, authorized_amount, captured_amount, refunded_amount, capture_reserved,
        refund_reserved, over_capture_allowance, capture_closed, method, payment_method, payment_service_id, metadata, facts, details, payment_source,
        merchant_initiated, is_subsequent_payment, pending_review, disputed, settled, settled_amount, created_at, updated_at)
      select ${account}, md5('many' || n)::uuid, 'authorization_succeeded', 'authorize', 'succeeded', 'EUR', n, n, 0, 0, 0, 0, 0, false, 'card', '{"scheme": "visa"}',
             ${service}::uuid, json_build_object('n', n::text)::jsonb, '{}', '{}', 'ecommerce', false, false, false, false, false, 0, at, at
        from generate_series(1, ${MANY}::int) n, lateral (select timestamptz '2026-01-01' + (n / 700) * interval '1 minute' as at) as times`.execute(
      world.db,
    )

  beforeAll(async () => {
    shop = await openShop(railyard)
    await fill(railyard.world, shop.account, shop.paymentServiceId)
  })

  const window = () => ({ account: shop.account, from: '1970-01-01T00:00:00Z', to: '2030-01-01T00:00:00Z' })
  const rules = compileRules({ flow: 'card-transaction', version: 1, rules: [] })

  test('each transaction is replayed once, and only the requested number of the last ones', async () => {
    const rest = {
      display_name: 'Odd',
      action: 'decline-early',
      condition: { field: 'amount', operator: 'gt', value: MANY - 10, currency: 'EUR' },
    }
    const { body } = await shop.post(path, { rules: [rest], transactions: 1_000_000 })
    expect(body.decisions).toMatchObject({ total: MANY, newly_declined_early: 10 })
    expect((await shop.post(path, { rules: [], transactions: 1_500 })).body.decisions.total).toBe(1_500)
    expect((await shop.post(path, { rules: [], transactions: 7 })).body.transactions).toMatchObject({
      replayed: 7,
      oldest: expect.stringMatching(/^2026-01-01T00:03:00/),
    })
    const to = '2026-01-01T00:00:00Z'
    expect((await shop.post(path, { rules: [], to })).body.transactions.replayed).toBe(699)
    expect(
      (await shop.post(path, { rules: [], from: '2026-01-01T00:03:00Z' })).body.transactions.replayed,
    ).toBe(MANY - 2_099)
  })

  test('a response in lines has the progress first and the result last', async () => {
    const answer = await shop.post(
      path,
      { rules: [], transactions: MANY },
      { accept: 'application/x-ndjson' },
    )
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
    const lines = answer.body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line))
    expect(lines.slice(0, -1)).toEqual([1_000, 2_000].map((done) => ({ progress: { done, total: MANY } })))
    const { body } = await shop.post(path, { rules: [], transactions: MANY })
    expect(lines.at(-1)).toEqual({ result: body })
  })

  test('a client that stops reading ends the replay', async () => {
    let statements = 0
    const world: World = {
      ...railyard.world,
      run: (text, values) => {
        statements++
        return railyard.world.run(text, values)
      },
    }
    const running = replay(world, { window: window(), flow: 'card-transaction', rules, transactions: MANY })
    expect(await running.next()).toEqual({ done: false, value: { done: 1_000, total: MANY } })
    const read = statements
    await running.return({
      tally: newTally(),
      leftOut: { named: 0, corrected: 0 },
      oldest: null,
      newest: null,
    })
    await railyard.world.run('select 1', [])
    expect(statements).toBe(read)
  })

  test('only one replay of an account runs at a time', async () => {
    const locks = replayLocks(railyard.world)
    const lock = await locks.take(shop.account)
    expect(lock).toBeDefined()
    expect(await locks.take(shop.account)).toBeUndefined()
    const other = await locks.take('another')
    expect(other).toBeDefined()
    await lock?.release()
    await other?.release()
    const again = await locks.take(shop.account)
    expect(again).toBeDefined()
    // a lock that was released before does not release the new holder's lock
    await lock?.release()
    expect(await locks.take(shop.account)).toBeUndefined()
    await again?.release()
  })

  test.each(['application/json', 'application/x-ndjson'])(
    'a client that disconnects before the replay starts (%s) releases the lock',
    async (accept) => {
      const { pendingRequests, run } = railyard.world
      await shop.put('/flows/card-transaction/rules', {
        items: [decline({ field: 'metadata.a', operator: 'is', value: 'b' })],
      })
      const idle = pendingRequests.activeCount()
      // the replay waits for its rules: the embedded database runs one statement at a time, and PostgreSQL
      // lets no session read a locked table
      const asleep = run(
        'do $$ begin lock table flow_rulesets in access exclusive mode; perform pg_sleep(0.6); end $$',
        [],
      )
      const leaving = new AbortController()
      const headers = {
        authorization: `Bearer ${shop.token}`,
        'x-svc-merchant-account-id': shop.account,
        'content-type': 'application/json',
        accept,
      }
      const left = fetch(`${railyard.url}${path}`, {
        method: 'POST',
        headers,
        body: '{"state":"draft"}',
        signal: leaving.signal,
      })
      await expect.poll(() => pendingRequests.activeCount(), { interval: 5 }).toBe(idle + 1)
      leaving.abort()
      await expect(left).rejects.toThrow(/aborted/)
      await asleep
      await expect.poll(async () => (await shop.post(path, { rules: [] })).status).toBe(200)
      await expect.poll(() => pendingRequests.activeCount()).toBe(idle)
    },
  )

  test('payments succeed while a replay runs', async () => {
    const replaying = shop.post(path, { rules: [], transactions: MANY })
    const { status, body } = await shop.pay(10_00)
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'authorization_succeeded' } })
    expect((await replaying).status).toBe(200)
  })
})
