import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { BookFinding } from '../../src/connectors/contract/outcome.ts'
import { payoutOf } from '../support/domains/payouts.ts'
import { interleave, payment } from './interleave.ts'
import { openMerchant, openStage } from './stage.ts'

const stage = await openStage()
const merchant = await openMerchant(stage.railyard)
afterAll(() => stage.close())
const { paid, expectInvariants, stalled } = interleave(stage, merchant)

/** The id of the operation in flight. */
async function inFlight(kind: string): Promise<string> {
  const [operation] = await stage.railyard.world.run<{ id: string }>(
    `select id from operations where merchant_account_id = $1 and kind = $2 and status = 'sent'`,
    [merchant.account, kind],
  )
  return operation?.id ?? ''
}

/** The payment service approves the operation that is in flight, and its notification arrives. */
async function approve(kind: string): Promise<void> {
  const ended = await fetch(`${stage.railyard.simulatorUrl}/simulate/pending-end`, {
    method: 'POST',
    body: JSON.stringify({ key: await inFlight(kind), outcome: 'completed', code: null }),
  })
  expect(ended.status).toBe(200)
}

/** The payment service's notification of an operation, sent again `times` times. */
const tell = (operation: string, times = 1) =>
  Promise.all(
    Array.from({ length: times }, () =>
      fetch(merchant.cardWebhook, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key: operation }),
      }),
    ),
  )

/** A request, and where its outcome is read: of its answer's resource, or of the payment that stands. */
interface Prepared {
  path: string
  body: object | undefined
  shownAt(id: string): string
}

const creation = (path: string, body: object) => async (): Promise<Prepared> => ({
  path,
  body,
  shownAt: (id) => `${path}/${id}`,
})
const onPayment =
  (amount: number, intent: 'authorize' | 'capture', action: string, body?: object) =>
  async (): Promise<Prepared> => {
    const transaction = `/transactions/${(await paid(amount, intent)).id}`
    return {
      path: `${transaction}/${action}`,
      body,
      shownAt: (id) => (action === 'refunds' ? `/refunds/${id}` : transaction),
    }
  }

test.each([
  ['authorize', creation('/transactions', payment(540_001, 'authorize')), 'authorization_succeeded'],
  ['sale', creation('/transactions', payment(540_001, 'capture')), 'capture_succeeded'],
  ['capture', onPayment(1_500_000, 'authorize', 'capture', { amount: 500_003 }), 'capture_succeeded'],
  ['void', onPayment(510_003, 'authorize', 'void'), 'authorization_voided'],
  ['refund', onPayment(1_500_000, 'capture', 'refunds', { amount: 520_005 }), 'succeeded'],
  ['payout', creation('/payouts', payoutOf(merchant.card, { amount: 530_003 })), 'succeeded'],
] as const)(
  'a pending %s whose notification was faster than its answer is decided within a second of that answer',
  async (kind, prepare, status) => {
    const { path, body, shownAt } = await prepare()
    const [request] = await stalled('after send', () => merchant.post(path, body))
    await approve(kind)
    stage.points.goOn()
    const answer = await request
    expect(answer?.body.status).toMatch(/pending|processing/)
    stage.clock.advance(1_000)
    await stage.recover()
    expect((await merchant.get(shownAt(answer?.body.id))).body.status).toBe(status)
    await expectInvariants()
  },
)

test('many notifications before the answer cost one look-up', async () => {
  const { id } = await paid(1_500_000, 'capture')
  const [request] = await stalled('after send', () =>
    merchant.post(`/transactions/${id}/refunds`, { amount: 520_005 }),
  )
  await tell(await inFlight('refund'), 20)
  stage.points.goOn()
  await request
  stage.clock.advance(1_000)
  expect(await stage.recover()).toBe(1)
  stage.clock.advance(1_000)
  expect(await stage.recover()).toBe(0)
  const timeline = (await merchant.get(`/transactions/${id}/events`)).body.items
  expect(timeline.map(({ name }: { name: string }) => name)).not.toContain(
    'payment-connector-transaction-webhook-processed',
  )
  await expectInvariants()
})

test('notifications of an operation whose process has died do not send it beside recovery', async () => {
  const { id } = await paid(1_500_000, 'capture')
  stage.points.dieAt('before send')
  await merchant.post(`/transactions/${id}/refunds`, { amount: 1_00 })
  stage.points.revive()
  stage.clock.advance(60_000)
  const refund = await inFlight('refund')
  await tell(refund, 5)
  expect(await inFlight('refund')).toBe(refund)
  await stage.recover()
  expect((await merchant.get(`/refunds/${refund}`)).body.status).toBe('succeeded')
  await expectInvariants()
})

test('an approval that is told while recovery closes the payment is undone', async () => {
  const connector = stage.railyard.world.connectors.get('mock-card')
  if (!connector) throw new Error('there is no mock-card connector')
  const { find, readNotification } = connector
  const request = await stage.points.hold('before send', () =>
    merchant.post('/transactions', payment(10_00, 'authorize')),
  )
  const operation = await inFlight('authorize')
  stage.clock.advance(60_000)
  const recovery = await stage.points.hold('before record', () => stage.recover())
  // the payment service's search was behind, and now finds the payment
  Object.assign(connector, {
    find: async (): Promise<BookFinding> => ({
      status: 'found',
      outcome: { status: 'approved', amount: 10_00, facts: {}, references: { transaction: 'late-1' } },
    }),
    readNotification: async () => ({ about: 'operation', operation, late: 'approval' }),
  })
  onTestFinished(() => void Object.assign(connector, { find, readNotification }))
  await tell(operation)
  recovery.goOn()
  await recovery.work
  stage.clock.advance(1_000)
  await stage.recover()
  request.goOn()
  await request.work
  const operations = await stage.railyard.world.run<{ kind: string; status: string; amount: number }>(
    `select kind, status, amount from operations where merchant_account_id = $1
        and transaction_id = (select transaction_id from operations where id = $2) order by id`,
    [merchant.account, operation],
  )
  expect(operations).toMatchObject([
    { kind: 'authorize', status: 'failed' },
    { kind: 'void', amount: 10_00 },
  ])
})
