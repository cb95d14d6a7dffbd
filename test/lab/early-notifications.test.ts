import { afterAll, expect, test } from 'vitest'
import { payoutOf } from '../support/domains/payouts.ts'
import { interleave, payment } from './interleave.ts'
import { openMerchant, openStage } from './stage.ts'

const stage = await openStage()
const merchant = await openMerchant(stage.railyard)
afterAll(() => stage.close())
const { paid, expectInvariants, stalled } = interleave(stage, merchant)

/** The payment service approves the operation that is in flight, and its notification arrives. */
async function approve(kind: string): Promise<void> {
  const [operation] = await stage.railyard.world.run<{ id: string }>(
    `select id from operations where merchant_account_id = $1 and kind = $2 and status = 'sent'`,
    [merchant.account, kind],
  )
  const ended = await fetch(`${stage.railyard.simulatorUrl}/simulate/pending-end`, {
    method: 'POST',
    body: JSON.stringify({ key: operation?.id, outcome: 'completed', code: null }),
  })
  expect(ended.status).toBe(200)
}

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
