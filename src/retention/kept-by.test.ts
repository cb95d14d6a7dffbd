import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDisputeProvider, disputeNotice, referenceOf, tell } from '../../test/support/domains/disputes.ts'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import {
  cutNow,
  DAY_MS,
  KEPT_MS,
  retire,
  seal,
  startOldRailyard,
  verifyFindings,
} from '../../test/support/domains/retention.ts'
import { injectFaults } from '../../test/support/provider.ts'
import type { TestRailyard } from '../../test/support/railyard.ts'
import { openShop, type Payment, type Shop } from '../../test/support/shop.ts'
import { readPlanned } from './retirement.store.ts'

// Everything that is open keeps the payments of its time, until it is closed.

let railyard: TestRailyard
let shop: Shop
let payment: Payment
beforeAll(async () => {
  railyard = await startOldRailyard()
  addDisputeProvider(railyard)
  shop = await openShop(railyard)
  payment = await shop.sold(80_00)
  await tell(
    railyard,
    shop,
    disputeNotice(await referenceOf(payment), { id: 'dp_closed', status: 'won', funds: 'returned' }),
  )
  await shop.post('/payouts', payoutOf(shop.paymentServiceId))
  await injectFaults(railyard, { operation: 'refund', kind: 'lost' })
  await payment.refund({ amount: 1_00 })
  await injectFaults(railyard)
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
})
afterAll(() => railyard.close())

const keptReasons = async () =>
  (await readPlanned(railyard.world.db))?.kept_by?.map(({ reason }) => reason) ?? []

const warnings = () => railyard.logged.filter((line) => line.includes('cannot be retired yet'))

test('an operation without an outcome keeps the payments, which is logged once and shown by a metric', async () => {
  expect(await retire(railyard)).toBe(0)
  expect(await retire(railyard)).toBe(0)
  expect(await keptReasons()).toEqual(['open_operations'])
  expect(warnings()).toHaveLength(1)
  const { body } = await railyard.send('GET', '/metrics')
  expect(body).toContain('railyard_retirement_kept{reason="open_operations"} 1')
  const client = await railyard.client({ account: shop.account })
  expect(await client.post(`/transactions/${payment.id}/sync`)).toMatchObject({ status: 200 })
  await seal(railyard)
  railyard.clock.advance(36 * DAY_MS)
})

const when = async (change: string, undo: string) => {
  await railyard.world.run(change, [])
  try {
    await retire(railyard)
    return await keptReasons()
  } finally {
    await railyard.world.run(undo, [])
  }
}

test.each([
  [
    'pending_reviews',
    'update transactions set pending_review = true',
    'update transactions set pending_review = false',
  ],
  [
    'undecided_payments',
    `update transactions set status = 'capture_pending'`,
    `update transactions set status = 'capture_succeeded'`,
  ],
  [
    'recent_changes',
    `update transactions set updated_at = updated_at + interval '2 days'`,
    `update transactions set updated_at = updated_at - interval '2 days'`,
  ],
  ['pending_payouts', `update payouts set status = 'pending'`, `update payouts set status = 'succeeded'`],
  ['open_disputes', `update disputes set status = 'needs_response'`, `update disputes set status = 'won'`],
  [
    'unsent_webhooks',
    `with subscription as (
       insert into webhook_subscriptions (id, url, active, secrets, form, created_at, updated_at)
       select gen_random_uuid(), 'https://shop.example', true, '', 'event', now(), now() returning id)
     insert into webhook_queues (webhook_subscription_id, position, sequence, event_id)
     select id, 0, 0, '00000000-0000-0000-0000-000000000000' from subscription`,
    'update webhook_subscriptions set active = false',
  ],
  [
    'wrong_payments',
    'update transactions set refunded_amount = refunded_amount + 1',
    'update transactions set refunded_amount = refunded_amount - 1',
  ],
  [
    'broken_links',
    `update operations set amount = amount + 1 where kind = 'sale'`,
    `update operations set amount = amount - 1 where kind = 'sale'`,
  ],
])('%s keep the payments', async (reason, change, undo) => {
  expect(await when(change, undo)).toEqual([reason])
})

test('once nothing keeps them, the payments are retired, and a closed dispute stays', async () => {
  expect(await verifyFindings(railyard)).toEqual([])
  expect(await retire(railyard)).toBe(5)
  expect(await readPlanned(railyard.world.db)).toBeUndefined()
  const client = await railyard.client({ account: shop.account })
  expect((await client.get('/disputes')).body.items).toMatchObject([{ transaction_id: payment.id }])
  expect(await verifyFindings(railyard)).toEqual([])
})
