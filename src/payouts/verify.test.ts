import { beforeEach, expect, test } from 'vitest'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { copyOf } from '../../test/support/tamper.ts'
import { verify } from '../verify/verify.ts'

const railyard = await startRailyardForFile()
const shop = await railyard.merchant()

let id: string
beforeEach(async () => {
  id = (await shop.post('/payouts', payoutOf(shop.paymentServiceId))).body.id
})

const problems = async () =>
  (await verify(railyard.world.run)).findings
    .filter(({ transaction_id }) => transaction_id === id)
    .map(({ problem }) => problem)

test('verify finds no problem in ordinary payouts, and counts them', async () => {
  expect(await verify(railyard.world.run)).toMatchObject({
    findings: [],
    undecided: 0,
    transactions: 0,
    payouts: 1,
    operations: 1,
  })
})

test.each([
  ['amount', 'update payouts set amount = amount + 1 where id = $1', 'payout: amount'],
  ['status', "update payouts set status = 'declined' where id = $1", 'payout: status'],
  ['currency', "update payouts set currency = 'USD' where id = $1", 'payout: currency'],
  [
    'id at the payment service',
    "update payouts set payment_service_payout_id = 'another' where id = $1",
    'payout: id at the payment service',
  ],
  [
    'payment service',
    "update payouts set payment_service_id = '00000000-0000-4000-8000-000000000002' where id = $1",
    'payout: payment service',
  ],
  [
    'effective amount of the operation',
    'update operations set effective_amount = 1 where transaction_id = $1',
    'payout: amount',
  ],
  ['operation that is deleted', 'delete from operations where transaction_id = $1', 'payout: operations'],
  [
    'operation that exists twice',
    copyOf(
      'operations',
      'transaction_id = $1',
      "jsonb_build_object('id', '00000000-0000-4000-8000-000000000001')",
    ),
    'payout: operations',
  ],
  ['row that is deleted', 'delete from payouts where id = $1', 'operation without a payout'],
  ['event that is deleted', 'delete from events where target_id = $1', 'events of its payout'],
])('verify finds a changed %s', async (_what, change, problem) => {
  expect(await problems()).toEqual([])
  await railyard.world.run(change, [id])
  expect(await problems()).toContain(problem)
})
