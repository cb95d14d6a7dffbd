import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { card } from '../../../test/support/railyard.ts'
import { addService, invalidFields, openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import type { World } from '../../world.ts'
import { compileRules } from '../compile.ts'
import { replay } from './replay.ts'
import { replayLocks } from './replay-lock.ts'
import { newTally } from './replay-tally.ts'

const railyard = await startRailyardForFile()

const path = '/flows/card-transaction/rules/replay'
const always = { all: [] }
const routeTo = (...ids: string[]) => ({
  display_name: 'Route',
  action: 'route-transaction',
  condition: always,
  outcome: { attempts: ids.map((payment_service_id) => ({ payment_service_id })) },
})
const decline = (condition: object) => ({ display_name: 'Decline', action: 'decline-early', condition })
const mastercard = { ...card, number: '5555555555554444' }

async function shopWithTwo(): Promise<{ shop: Shop; first: string; second: string }> {
  const shop = await openShop(railyard)
  return { shop, first: shop.paymentServiceId, second: await addService(railyard, shop) }
}

const setLive = async (shop: Shop, items: object[]) => {
  expect(await shop.put('/flows/card-transaction/rules', { items })).toMatchObject({ status: 200 })
  expect((await shop.post('/flows/card-transaction/rules/publish', {})).status).toBeLessThan(300)
}

describe('the changes in a replay', () => {
  test('payments whose first payment service would differ are counted, with the shares of both services', async () => {
    const { shop, first, second } = await shopWithTwo()
    const payment = await shop.sold(10_00)
    await shop.sold(10_00, { payment_method: mastercard })
    const rules = [{ ...routeTo(second), condition: { field: 'scheme', operator: 'is', value: 'visa' } }]
    const { status, body } = await shop.post(path, { rules })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        type: 'flow-rules-replay',
        flow: 'card-transaction',
        rules: { state: 'inline', version: null },
        transactions: { replayed: 2, left_out: { named: 0, corrected: 0 } },
        decisions: {
          total: 2,
          unchanged: 1,
          moved: 1,
          rules: [{ display_name: 'Route', action: 'route-transaction', before: 0, after: 1 }],
        },
        examples: [
          {
            transaction_id: payment.id,
            change: 'moved',
            before: { declined_early: null, payment_services: [first, second], rules: [] },
            after: {
              declined_early: null,
              payment_services: [second],
              rules: [{ action: 'route-transaction' }],
            },
          },
        ],
      },
    })
    expect(body.payment_services).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          payment_service_id: first,
          display_name: 'Mock card',
          before: { attempts: 2, share: 1 },
          after: { attempts: 1, share: 0.5 },
        }),
        expect.objectContaining({
          payment_service_id: second,
          before: { attempts: 0, share: 0 },
          after: { attempts: 1, share: 0.5 },
        }),
      ]),
    )
  })

  test('payments that would be declined early are counted, and those that no longer would, whose route is unknown', async () => {
    const { shop, first } = await shopWithTwo()
    await setLive(shop, [decline({ field: 'metadata.risk', operator: 'is', value: 'high' })])
    await shop.pay(10_00, { metadata: { risk: 'high' } })
    await shop.pay(10_00)
    const { body } = await shop.post(path, {
      rules: [decline({ field: 'metadata.risk', operator: 'is_null', value: true })],
    })
    expect(body.decisions).toMatchObject({
      total: 2,
      unchanged: 0,
      newly_declined_early: 1,
      no_longer_declined_early: 1,
    })
    expect(body.approval).toMatchObject({
      before: { attempts: 1, not_estimable: { transactions: 0 } },
      after: {
        attempts: 1,
        estimable: 0,
        rate: null,
        bounds: { low: 0, high: 1 },
        not_estimable: { transactions: 1, share: 1, pairs: [{ payment_service_id: null }] },
      },
      change: null,
    })
    expect(body.payment_services).toMatchObject([
      { payment_service_id: first, before: { attempts: 1 }, after: { attempts: 0 } },
    ])
    expect(body.examples).toHaveLength(2)
  })

  test('payments whose request named the payment service, or whose amount was corrected, are left out and counted', async () => {
    const { shop, second } = await shopWithTwo()
    await shop.sold(10_00, { payment_service_id: second })
    const corrected = await shop.authorized(10_00)
    expect((await corrected.correct({ metadata: { tier: 'gold' } })).status).toBe(200)
    await shop.sold(10_00)
    const { body } = await shop.post(path, { rules: [routeTo(second)] })
    expect(body.transactions).toMatchObject({ replayed: 1, left_out: { named: 1, corrected: 1 } })
  })

  test('an amount that was incremented later is replayed as it was requested', async () => {
    const { shop, second } = await shopWithTwo()
    const payment = await shop.authorized(10_00)
    expect((await payment.increment(90_00)).status).toBe(200)
    const rules = [
      { ...routeTo(second), condition: { field: 'amount', operator: 'eq', value: 10_00, currency: 'EUR' } },
    ]
    expect((await shop.post(path, { rules })).body.decisions).toMatchObject({ total: 1, moved: 1 })
  })

  test('a replay uses the draft by default, and earlier versions by their number', async () => {
    const { shop, first, second } = await shopWithTwo()
    await setLive(shop, [routeTo(first)])
    await shop.sold(10_00)
    await setLive(shop, [routeTo(second)])
    await shop.put('/flows/card-transaction/rules', { items: [decline(always)] })
    expect((await shop.post(path)).body).toMatchObject({
      rules: { state: 'draft', version: 3 },
      decisions: { newly_declined_early: 1 },
    })
    expect((await shop.post(path, { state: 'live' })).body).toMatchObject({
      rules: { state: 'live', version: 2 },
      decisions: { moved: 1 },
    })
    expect((await shop.post(path, { version: 1 })).body).toMatchObject({
      rules: { state: 'retired', version: 1 },
      decisions: { unchanged: 1 },
    })
  })

  test('early decline rules of other methods are replayed over payments with those methods only', async () => {
    const { shop } = await shopWithTwo()
    await shop.sold(10_00)
    await shop.pay(10_00, {
      payment_method: {
        method: 'ideal',
        currency: 'EUR',
        country: 'NL',
        redirect_url: 'https://shop.example/back',
      },
    })
    const { body } = await shop.post('/flows/non-card-transaction/rules/replay', { rules: [decline(always)] })
    expect(body.decisions).toMatchObject({ total: 1, newly_declined_early: 1 })
  })
})

describe('the expected approval rate', () => {
  test('the expected rate comes from first attempts, whatever happened to the payment afterwards', async () => {
    const { shop, first, second } = await shopWithTwo()
    await setLive(shop, [
      { ...routeTo(second, first), condition: { field: 'metadata.to', operator: 'is', value: 'second' } },
    ])
    for (const amount of [10_00, 11_00, 12_00, 300_013]) await shop.pay(amount)
    for (const amount of [13_00, 300_013]) await shop.pay(amount, { metadata: { to: 'second' } })
    const { body } = await shop.post(path, { rules: [routeTo(second)] })
    expect(body.approval.before).toMatchObject({
      attempts: 6,
      estimable: 6,
      rate: { value: expect.closeTo(4 / 6, 10) },
    })
    expect(body.approval.after).toMatchObject({
      attempts: 6,
      estimable: 6,
      rate: { value: expect.closeTo(1 / 2, 10) },
      thin: { tries_below: 30, transactions: 6, share: 1 },
    })
    const { value, interval } = body.approval.change
    expect(value).toBeCloseTo(1 / 2 - 4 / 6, 10)
    expect(interval.low).toBeLessThan(value)
    expect(interval.high).toBeGreaterThan(0)
  })

  test('the rate is not estimable at a payment service that has no attempts of the segment', async () => {
    const { shop, second } = await shopWithTwo()
    await shop.sold(10_00)
    await shop.sold(10_00, { currency: 'USD' })
    const rules = [{ ...routeTo(second), condition: { field: 'currency', operator: 'is', value: 'USD' } }]
    const { body } = await shop.post(path, { rules })
    expect(body.approval.after).toMatchObject({
      attempts: 2,
      estimable: 1,
      rate: { value: 1 },
      bounds: { low: 0.5, high: 1 },
      not_estimable: {
        transactions: 1,
        share: 0.5,
        pairs: [
          {
            scheme: 'visa',
            method: null,
            currency: 'USD',
            merchant_initiated: false,
            payment_service_id: second,
            transactions: 1,
            share: 0.5,
          },
        ],
      },
    })
  })
})

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

describe('a replay is refused', () => {
  test('for rules with problems, which the error names down to the leaf', async () => {
    const { shop } = await shopWithTwo()
    const wrong = {
      ...routeTo(shop.account),
      condition: { any: [{ field: 'amount', operator: 'gt', value: 1 }] },
    }
    const { status, body } = await shop.post(path, { rules: [routeTo(shop.paymentServiceId), wrong] })
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'bad_request' } })
    const pointers = body.details.map(({ pointer }: { pointer: string }) => pointer)
    expect(pointers).toContainEqual(expect.stringMatching(/^\/rules\/1\/condition\/any\/0/))
  })

  test('for two kinds of rules at once, and for versions that do not exist', async () => {
    const { shop } = await shopWithTwo()
    expect(await shop.post(path, { rules: [], state: 'live' })).toMatchObject(
      invalidFields('/rules', '/state'),
    )
    expect(await shop.post(path, {})).toMatchObject(invalidFields('/state'))
    expect(await shop.post(path, { version: 4 })).toMatchObject(invalidFields('/version'))
    expect((await shop.post(path, { rules: [], transactions: 1_000_001 })).status).toBe(422)
  })

  test('for the checkout flow, whose rules decide nothing about transactions', async () => {
    const { shop } = await shopWithTwo()
    expect(await shop.post('/flows/checkout/rules/replay', { rules: [] })).toMatchObject({
      status: 400,
      body: { code: 'bad_request' },
    })
    expect((await shop.post('/flows/nothing/rules/replay', { rules: [] })).status).toBe(422)
  })

  test('for callers without the scope to read flows', async () => {
    const merchant = await railyard.merchant({ scopes: ['transactions.read'] })
    expect((await merchant.post(path, { rules: [] })).status).toBe(403)
  })
})
