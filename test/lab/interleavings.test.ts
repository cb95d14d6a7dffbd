import type { QueryResultRow } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../src/connectors/wire/http-message.ts'
import { recordOutcome } from '../../src/operations/journal/record-outcome.sql.ts'
import { followReviewDecision } from '../../src/operations/journal/review.sql.ts'
import type { GiftCardProviderBooks } from '../support/checks/gift-card-differences.ts'
import { addAntiFraudService, buyerScreenedAs } from '../support/domains/anti-fraud.ts'
import { newGiftCard } from '../support/domains/gift-cards.ts'
import { card } from '../support/railyard.ts'
import { violations } from './invariants.ts'
import { snapshot } from './snapshot.ts'
import { type Merchant, openMerchant, openStage, type Stage } from './stage.ts'

let stage: Stage
let merchant: Merchant
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const payment = (amount: number, intent: 'authorize' | 'capture', more: object = {}) => ({
  amount,
  currency: 'EUR',
  country: 'DE',
  intent,
  payment_method: card,
  ...more,
})
const paid = async (...how: Parameters<typeof payment>): Promise<{ id: string }> => {
  const { status, body } = await merchant.post('/transactions', payment(...how))
  expect(status).toBe(201)
  return body
}
const notWrong = async () => expect(violations(await snapshot(stage, merchant), new Map())).toEqual([])

/** Runs recovery for ten minutes of the virtual clock. */
async function recovered(): Promise<void> {
  for (let minute = 0; minute < 10; minute++) {
    stage.clock.advance(60_000)
    await stage.recover()
  }
}

/** Runs an action until its process waits at the point, after sending or looking up. */
async function stalled<T>(
  point: Parameters<Stage['points']['stallAt']>[0],
  act: () => Promise<T>,
): Promise<Promise<T>[]> {
  stage.points.stallAt(point)
  const acted = act()
  await stage.points.stalled()
  stage.points.disarm()
  return [acted]
}

/** The next matching request to a payment service cannot be sent, or gets only this status. */
function refuseNext(about: (asked: HttpRequest) => boolean, status?: number): void {
  const { world } = stage.railyard
  const { http } = world
  world.http = {
    ...http,
    async request(asked) {
      if (!about(asked)) return http.request(asked)
      world.http = http
      return status === undefined
        ? { lost: true, sent: false, reason: 'ECONNREFUSED' }
        : { lost: false, status, headers: {}, body: {} }
    },
  }
}

/** Stops the next matching statement until it is released. */
function hold(about: (sql: string, values: readonly unknown[]) => boolean) {
  const { world } = stage.railyard
  const { run } = world
  const [arrival, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFree = false
  world.run = async <Row extends QueryResultRow>(sql: string, values: readonly unknown[]) => {
    if (!isFree && about(sql, values)) {
      isFree = true
      arrival.resolve()
      await gate.promise
    }
    return run<Row>(sql, values)
  }
  const letGo = () => {
    world.run = run
    gate.resolve()
  }
  return { arrived: arrival.promise, letGo }
}

beforeAll(async () => {
  merchant = await openMerchant(stage.railyard)
})

describe('a queued capture is sent by one process, and a refusal of another request does not fail it', () => {
  const queued = () => paid(30_00, 'capture', { async_capture: true })
  const sync = (id: string) => merchant.post(`/transactions/${id}/sync`)
  const refuseOne = () => stage.network.strike('connect refused', 1, 0)

  test('recovery beside a sync', async () => {
    const { id } = await queued()
    const [first] = await stalled('after send', () => sync(id))
    refuseOne()
    await stage.recover()
    stage.points.goOn()
    await first
    await notWrong()
  })

  test('recovery after a sync whose process died', async () => {
    const { id } = await queued()
    stage.points.dieAt('after send')
    await sync(id)
    expect(stage.points.disarm()).toBe(true)
    stage.points.revive()
    stage.clock.advance(60_000)
    refuseOne()
    await stage.recover()
    await notWrong()
    stage.network.mend()
    await recovered()
    expect((await merchant.get(`/transactions/${id}`)).body).toMatchObject({ status: 'capture_succeeded' })
  })

  test('a sync beside a sync', async () => {
    const { id } = await queued()
    const [first] = await stalled('after send', () => sync(id))
    refuseOne()
    await sync(id)
    stage.points.goOn()
    await first
    await notWrong()
    stage.network.mend()
  })

  test('a notification before the answer', async () => {
    const { id } = await queued()
    const [capture] = await stage.railyard.world.run<{ id: string }>(
      `select id from operations where transaction_id = $1 and kind = 'capture'`,
      [id],
    )
    const [recovering] = await stalled('after send', () => stage.recover())
    refuseOne()
    const told = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: capture?.id }),
    }
    await (await fetch(merchant.cardWebhook, told)).text()
    stage.points.goOn()
    await recovering
    await notWrong()
    stage.network.mend()
  })

  test('that cannot be sent at first is sent later', async () => {
    const { id } = await queued()
    refuseOne()
    await stage.recover()
    await recovered()
    expect((await merchant.get(`/transactions/${id}`)).body).toMatchObject({ status: 'capture_succeeded' })
  })
})

test('a stalled request that was refused for its credentials does not decide an operation that was sent again', async () => {
  const { id } = await paid(1_500_000, 'authorize')
  refuseNext(({ url }) => url.includes('/captures'), 401)
  const [answer] = await stalled('before record', () =>
    merchant.post(`/transactions/${id}/capture`, { amount: 500_003 }),
  )
  stage.clock.advance(60_000)
  await stage.recover()
  stage.points.goOn()
  await answer
  await notWrong()
})

describe('a compensation is retried until it is decided', () => {
  const operation = async (id: string, kind: string) =>
    (
      await stage.railyard.world.run<{ status: string }>(
        'select status from operations where transaction_id = $1 and kind = $2 order by id desc limit 1',
        [id, kind],
      )
    )[0]

  test('the reversal of a gift card after another one refused', async () => {
    refuseNext(({ url }) => url.endsWith('/reverse'))
    const cards = [
      { ...newGiftCard('030000'), amount: 20_00 },
      { ...newGiftCard('01'), amount: 5_00 },
    ]
    const { id } = await paid(60_00, 'authorize', { gift_cards: cards })
    await recovered()
    expect(await operation(id, 'reverse')).toEqual({ status: 'approved' })
  })

  test('although another gift card’s reversal is refused', async () => {
    const { world } = stage.railyard
    const { http } = world
    world.http = {
      ...http,
      async request(asked) {
        return asked.url.endsWith('/reverse')
          ? { lost: false, status: 401, headers: {}, body: {} }
          : http.request(asked)
      },
    }
    const cards = [
      { ...newGiftCard('030000'), amount: 20_00 },
      { ...newGiftCard('01'), amount: 5_00 },
    ]
    const authorized = await paid(60_00, 'authorize', { gift_cards: cards })
    await recovered()
    expect((await merchant.get(`/transactions/${authorized.id}`)).body).toMatchObject({
      status: 'authorization_voided',
    })
    world.http = http
    await recovered()
    expect(await operation(authorized.id, 'reverse')).toEqual({ status: 'approved' })
    await notWrong()
  })

  test('the void after a gift card refused', async () => {
    refuseNext(({ url }) => url.endsWith('/void'))
    const { id } = await paid(60_00, 'authorize', { gift_cards: [{ ...newGiftCard('01'), amount: 5_00 }] })
    await recovered()
    expect(await operation(id, 'void')).toEqual({ status: 'approved' })
  })

  test('the void after a reviewer rejected', async () => {
    const own = await openMerchant(stage.railyard)
    const fraud = await addAntiFraudService(stage.railyard, own)
    const { body } = await own.post(
      '/transactions',
      payment(21_00, 'capture', { buyer: buyerScreenedAs('review') }),
    )
    refuseNext(({ url }) => url.endsWith('/void'))
    await fraud.decides(body.id, 'REJECT')
    await recovered()
    expect((await own.get(`/transactions/${body.id}`)).body).toMatchObject({
      status: 'authorization_voided',
      pending_review: false,
    })
  })
})

test('a rejected payment is voided once, although recovery follows the decision during its request, and the void is refused', async () => {
  const own = await openMerchant(stage.railyard)
  const fraud = await addAntiFraudService(stage.railyard, own)
  const { body } = await own.post(
    '/transactions',
    payment(510_002, 'authorize', { buyer: buyerScreenedAs('review') }),
  )
  const releasing = hold((sql) => sql === followReviewDecision.void.text)
  const decided = fraud.decides(body.id, 'REJECT')
  await releasing.arrived
  stage.clock.advance(1_000)
  await stage.recover()
  releasing.letGo()
  await decided
  await recovered()
  const voids = await stage.railyard.world.run<{ status: string }>(
    `select status from operations where merchant_account_id = $1 and transaction_id = $2 and kind = 'void'`,
    [own.account, body.id],
  )
  expect(voids).toEqual([{ status: 'declined' }])
  expect((await own.get(`/transactions/${body.id}`)).body).toMatchObject({
    status: 'authorization_succeeded',
    pending_review: true,
  })
})

test('a review decision that arrives before its screening is recorded is requested again', async () => {
  const own = await openMerchant(stage.railyard)
  const fraud = await addAntiFraudService(stage.railyard, own)
  const [answer] = await stalled('before record', () =>
    own.post('/transactions', payment(21_00, 'capture', { buyer: buyerScreenedAs('review') })),
  )
  const [row] = await stage.railyard.world.run<{ id: string }>(
    'select id from transactions where merchant_account_id = $1',
    [own.account],
  )
  const decide = () => fraud.decides(row?.id ?? '', 'ACCEPT')
  const early = await decide()
  expect(early).toMatchObject({ status: 425, body: { code: 'too_early' } })
  expect(early.headers.get('retry-after')).toBe('1')
  stage.points.goOn()
  await answer
  expect(await decide()).toMatchObject({ status: 200 })
  expect((await own.get(`/transactions/${row?.id}`)).body).toMatchObject({
    status: 'capture_succeeded',
    pending_review: false,
  })
})

test('a pending refund has one event, although its lost answer is recorded while recovery finds it', async () => {
  const { id } = await paid(1_500_000, 'capture')
  const settles = new Set<string>(Object.values(recordOutcome).map(({ text }) => text))
  const settlesAs = (status: string) =>
    hold((sql, values) => settles.has(sql) && values[recordOutcome.plain.names.indexOf('status')] === status)
  const unknown = settlesAs('unknown')
  stage.network.strike('timeout before', 1, 0)
  const answer = merchant.post(`/transactions/${id}/refunds`, { amount: 520_005 })
  await unknown.arrived
  const pending = settlesAs('pending')
  stage.clock.advance(60_000)
  const recovering = stage.recover()
  await pending.arrived
  unknown.letGo()
  await answer
  pending.letGo()
  await recovering
  const events = await stage.railyard.world.run<{ name: string }>(
    `select name from events where merchant_account_id = $1 and name like 'refund%' and target->>'transaction_id' = $2 order by position`,
    [merchant.account, id],
  )
  expect(events.map(({ name }) => name)).toEqual(['refund.pending'])
})

test('a gift card is issued once under one key, although one of two requests is rejected unprocessed', async () => {
  const own = await openMerchant(stage.railyard)
  const { world } = stage.railyard
  const { http } = world
  const issue = () =>
    own.post(
      '/gift-cards/issuances',
      { theme: 'birthday', amount: 25_00, currency: 'EUR' },
      { 'idempotency-key': 'one' },
    )
  const [asked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFirst = true
  world.http = {
    ...http,
    async request(request) {
      if (!isFirst || !request.url.endsWith('/issuances')) return http.request(request)
      isFirst = false
      asked.resolve()
      await goOn.promise
      return { lost: false, status: 401, headers: {}, body: {} }
    },
  }
  const issued = async () => {
    const { gift_cards: books } = (await (await fetch(`${stage.railyard.simulatorUrl}/books`)).json()) as {
      gift_cards: GiftCardProviderBooks
    }
    return books.operations.filter(({ kind, status }) => kind === 'issue' && status === 'approved').length
  }
  const before = await issued()
  const first = issue()
  await asked.promise
  const second = await issue()
  goOn.resolve()
  await first
  world.http = http
  expect(second.status).toBe(201)
  expect((await issue()).body).toEqual(second.body)
  expect((await issued()) - before).toBe(1)
})

test('two full refunds under one key get the same answer, although one of them could refund less', async () => {
  const { id } = await paid(80_00, 'authorize', { gift_cards: [{ ...newGiftCard('030000'), amount: 20_00 }] })
  const capture = (amount: number) => merchant.post(`/transactions/${id}/capture`, { amount, final: false })
  expect((await capture(20_00)).body).toMatchObject({ status: 'capture_succeeded' })
  const [capturing] = await stalled('after send', () => capture(10_00))
  const kept = hold((sql) => sql.includes('insert into idempotency_keys') && sql.includes(`'parts'`))
  const everything = () => merchant.post(`/transactions/${id}/refunds/all`, {}, { 'idempotency-key': 'all' })
  const first = everything()
  await kept.arrived
  stage.points.goOn()
  await capturing
  const second = await everything()
  kept.letGo()
  expect(second.body.items).toHaveLength(2)
  expect((await first).body).toEqual(second.body)
  expect((await everything()).body).toEqual(second.body)
})

describe('a renewal', () => {
  const renewal = { reauthorize_if_authorization_expired: true }
  const renew = (id: string) => merchant.post(`/transactions/${id}/capture`, renewal)
  const read = async (id: string) => (await merchant.get(`/transactions/${id}`)).body

  test('that recovery intends is sent again after it was rejected unprocessed', async () => {
    const { id } = await paid(40_00, 'authorize')
    stage.clock.advance(8 * 86_400_000)
    stage.network.strike('timeout after', 1, 0)
    await renew(id)
    refuseNext(({ method, url }) => method === 'POST' && url.endsWith('/payments'), 429)
    await recovered()
    const { items } = (await merchant.get('/transactions?limit=5')).body
    expect(
      items.filter(
        (item: { reauthorized_from_transaction_id: string | null }) =>
          item.reauthorized_from_transaction_id === id,
      ),
    ).toMatchObject([{ status: 'capture_succeeded' }])
    await notWrong()
  })

  test('whose cancellation is recorded late does not reopen an authorization that was captured', async () => {
    // its renewal stays pending at the payment service
    const { id } = await paid(500_000, 'authorize')
    expect(
      (await merchant.post(`/transactions/${id}/authorization/increment`, { amount: 40_001 })).body,
    ).toMatchObject({ status: 'succeeded' })
    stage.clock.advance(8 * 86_400_000)
    const first = (await renew(id)).body
    const [cancellation] = await stalled('after send', () =>
      merchant.post(`/transactions/${first.id}/cancel`),
    )
    await merchant.post(`/transactions/${first.id}/sync`)
    expect(await read(first.id)).toMatchObject({ status: 'authorization_failed' })
    const second = (await renew(id)).body
    expect(
      (await merchant.post(`/sandbox/transactions/${second.id}/simulate`, { event: 'completed' })).status,
    ).toBe(200)
    await recovered()
    expect(await read(second.id)).toMatchObject({ status: 'capture_succeeded', captured_amount: 540_001 })
    stage.points.goOn()
    await cancellation
    expect(await renew(id)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('another payment has renewed the authorization') },
    })
    await notWrong()
  })
})
