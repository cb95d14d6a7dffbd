import { afterEach, expect, test } from 'vitest'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import { booksOf, injectFaults, recoverFully } from '../../test/support/provider.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { timeOf } from '../base/clock.ts'
import { intendPayout } from '../operations/journal/payout-journal.ts'
import { newOperation } from '../operations/operation.ts'
import type { PayoutRow } from './payout.row.ts'

const { railyard, shop } = await startShop()
afterEach(() => injectFaults(railyard))

const withKey = () => ({ 'idempotency-key': crypto.randomUUID() })
const payOut = (amount: number, headers: Record<string, string> = {}) =>
  shop.post('/payouts', payoutOf(shop.paymentServiceId, { amount }), headers)
const sentOf = async (amount: number) =>
  (await booksOf(railyard)).operations.filter((operation) => operation.amount === amount)

test.each([
  ['a success', 11_11],
  ['a decline', 530001],
  ['a failure', 530002],
  ['a pending payout', 530003],
])('a repeated request gets the same answer and sends once: %s', async (_what, amount) => {
  const headers = withKey()
  const [first, again] = [await payOut(amount, headers), await payOut(amount, headers)]
  expect(first.status).toBe(201)
  expect([again.status, again.body]).toEqual([201, first.body])
  expect(await sentOf(amount)).toHaveLength(1)
})

test('20 equal requests at once make one payout, and all get its answer', async () => {
  const headers = withKey()
  const answers = await Promise.all(Array.from({ length: 20 }, () => payOut(20_20, headers)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(await sentOf(20_20)).toHaveLength(1)
})

test('another body under the same key is a 409 that names the first payout', async () => {
  const headers = withKey()
  const { body } = await payOut(13_13, headers)
  expect(await payOut(13_14, headers)).toMatchObject({
    status: 409,
    body: { code: 'duplicate_record', resource_id: body.id },
  })
  expect(await sentOf(13_14)).toEqual([])
})

test('a refused request does not use its key: the corrected one is accepted', async () => {
  const headers = withKey()
  expect((await payOut(0, headers)).status).toBe(400)
  expect((await payOut(14_14, headers)).status).toBe(201)
})

test('a key has 255 characters at most, and a transaction’s key is not a payout’s', async () => {
  expect((await payOut(15_15, { 'idempotency-key': 'k'.repeat(256) })).status).toBe(400)
  const headers = withKey()
  expect((await shop.pay(16_16, {}, headers)).body.type).toBe('transaction')
  expect((await payOut(16_16, headers)).body.type).toBe('payout')
})

test('a repeated request gets the same answer and sends nothing while the outcome is unknown', async () => {
  const headers = withKey()
  await injectFaults(railyard, { operation: 'payout', kind: 'lost', times: 1 })
  const first = await payOut(17_17, headers)
  expect(first.body.status).toBe('pending')
  expect((await payOut(17_17, headers)).body).toEqual(first.body)
  await recoverFully(railyard)
  expect((await payOut(17_17, headers)).body).toEqual(first.body)
  expect((await shop.get(`/payouts/${first.body.id}`)).body.status).toBe('succeeded')
  expect(await sentOf(17_17)).toHaveLength(1)
})

test('after a crash between intent and outcome, recovery finds the outcome, and the key answers it', async () => {
  const { world } = railyard
  const template = await payOut(18_18)
  const [row] = await world.run<{ payout: PayoutRow }>(
    'select row_to_json(p) as payout from payouts p where id = $1',
    [template.body.id],
  )
  const now = timeOf(world.clock)
  const id = world.ids.next()
  const payout = { ...row?.payout, id, status: 'pending', payment_service_payout_id: null, event_count: 0 }
  const claim = { scope: 'POST /payouts', key: 'died' }
  const operation = newOperation(
    {
      merchant_account_id: shop.account,
      id: world.ids.next(),
      transaction_id: id,
      kind: 'payout',
      amount: 18_18,
      currency: 'EUR',
      payment_service_id: shop.paymentServiceId,
      check_at: now,
      created_at: now,
    },
    { idempotency_scope: claim.scope, idempotency_key: claim.key },
  )
  const body = JSON.stringify(payoutOf(shop.paymentServiceId, { amount: 18_18 }))
  await intendPayout(world, payout, operation, {
    ...claim,
    representation: 'payout',
    fingerprint: world.cipher.mac('request-fingerprint', body),
  })
  await recoverFully(railyard)
  const answer = await payOut(18_18, { 'idempotency-key': 'died' })
  expect(answer).toMatchObject({
    status: 201,
    body: { id, status: 'failed', payment_service_payout_id: null },
  })
  expect(await sentOf(18_18)).toHaveLength(1)
})

test('ten notifications at once record the outcome of a payout once', async () => {
  await injectFaults(railyard, { operation: 'payout', kind: 'lost', times: 1 })
  const { body } = await payOut(19_19)
  await injectFaults(railyard)
  const [operation] = await railyard.world.run<{ id: string }>(
    'select id from operations where transaction_id = $1',
    [body.id],
  )
  const [booked] = (await booksOf(railyard)).payments.filter(({ opened_by }) => opened_by === operation?.id)
  const notify = () =>
    fetch(booked?.notification_url ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: operation?.id }),
    })
  const answers = await Promise.all(Array.from({ length: 10 }, notify))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const events = await railyard.world.run<{ name: string }>(
    'select name from events where target_id = $1 order by sequence',
    [body.id],
  )
  expect(events.map(({ name }) => name)).toEqual(['payout.pending', 'payout.succeeded'])
})
