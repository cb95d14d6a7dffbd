import { afterAll, describe, expect, test } from 'vitest'
import { followReviewDecision } from '../../src/operations/journal/functions/review.sql.ts'
import { addAntiFraudService, buyerScreenedAs } from '../support/domains/anti-fraud.ts'
import { newGiftCard } from '../support/domains/gift-cards.ts'
import { interleave, payment } from './interleave.ts'
import { openMerchant, openStage } from './stage.ts'

const stage = await openStage()
const merchant = await openMerchant(stage.railyard)
afterAll(() => stage.close())
const { paid, expectInvariants, recovered, stalled, refuseNext, stopStatement } = interleave(stage, merchant)

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
    await expectInvariants()
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
    await expectInvariants()
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
    await expectInvariants()
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
    const notification = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: capture?.id }),
    }
    await (await fetch(merchant.cardWebhook, notification)).text()
    stage.points.goOn()
    await recovering
    await expectInvariants()
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
  await expectInvariants()
})

test('a request that could not be sent does not fail a capture that recovery has sent and not recorded', async () => {
  const { id } = await paid(30_00, 'authorize')
  stage.network.strike('connect refused', 1, 0)
  const request = await stage.points.hold('before record', () => merchant.post(`/transactions/${id}/capture`))
  stage.clock.advance(60_000)
  const recovery = await stage.points.hold('before record', () => stage.recover())
  expect([request.isHeld, recovery.isHeld]).toEqual([true, true])
  request.goOn()
  await request.work
  await expectInvariants()
  recovery.goOn()
  await recovery.work
  await recovered()
  expect((await merchant.get(`/transactions/${id}`)).body).toMatchObject({ status: 'capture_succeeded' })
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
      async request(request) {
        return request.url.endsWith('/reverse')
          ? { lost: false, status: 401, headers: {}, body: {} }
          : http.request(request)
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
    await expectInvariants()
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
  const releasing = stopStatement((sql) => sql === followReviewDecision.void.text)
  const decided = fraud.decides(body.id, 'REJECT')
  await releasing.arrived
  stage.clock.advance(1_000)
  await stage.recover()
  releasing.release()
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
