import { afterAll, describe, expect, test } from 'vitest'
import { recordOutcome } from '../../src/operations/journal/functions/record-outcome.sql.ts'
import { addAnsweredParts } from '../../src/transactions/actions/answered-parts.sql.ts'
import { newGiftCard } from '../support/domains/gift-cards.ts'
import { booked } from './gift-card-steps.ts'
import { interleave } from './interleave.ts'
import { openMerchant, openStage } from './stage.ts'

const stage = await openStage()
const merchant = await openMerchant(stage.railyard)
afterAll(() => stage.close())
const { paid, expectInvariants, recovered, stalled, refuseNext, stopStatement } = interleave(stage, merchant)

test('a pending refund has one event, although its lost answer is recorded while recovery finds it', async () => {
  const { id } = await paid(1_500_000, 'capture')
  const settlesAs = (status: string) =>
    stopStatement(
      (sql, values) => sql === recordOutcome.text && values[recordOutcome.names.indexOf('status')] === status,
    )
  const unknown = settlesAs('unknown')
  stage.network.strike('timeout before', 1, 0)
  const answer = merchant.post(`/transactions/${id}/refunds`, { amount: 520_005 })
  await unknown.arrived
  const pending = settlesAs('pending')
  stage.clock.advance(60_000)
  const recovering = stage.recover()
  await pending.arrived
  unknown.release()
  await answer
  pending.release()
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
  const issued = () => booked({ merchant: own, stage }, 'issue')
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
  const kept = stopStatement((sql) => sql === addAnsweredParts.text)
  const everything = () => merchant.post(`/transactions/${id}/refunds/all`, {}, { 'idempotency-key': 'all' })
  const first = everything()
  await kept.arrived
  stage.points.goOn()
  await capturing
  const second = await everything()
  kept.release()
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
    await expectInvariants()
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
    await expectInvariants()
  })
})
