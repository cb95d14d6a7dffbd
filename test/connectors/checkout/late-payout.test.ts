import { expect, test } from 'vitest'
import { verify } from '../../../src/verify/verify.ts'
import { payoutOf } from '../../support/domains/payouts.ts'
import { openCheckoutShopForFile } from './shop.ts'

const { shop: checkout, fake } = await openCheckoutShopForFile()
const MINUTE_MS = 60_000

test('a payout that the search finds after it was taken for absent is told to operators', async () => {
  const { shop, railyard } = checkout
  const [service] = (await shop.get('/payment-services')).body.items.filter(
    ({ active }: { active: boolean }) => active,
  )
  checkout.loseNext()
  const { status, body: created } = await shop.post('/payouts', payoutOf(service.id))
  expect({ status, created }).toMatchObject({ status: 201, created: { status: 'pending' } })
  const payout = async () => (await shop.get(`/payouts/${created.id}`)).body
  for (let round = 0; round < 10 && (await payout()).status === 'pending'; round += 1) {
    checkout.advance(2 * MINUTE_MS)
    await railyard.recovery.runOnce()
  }
  expect(await payout()).toMatchObject({ status: 'failed' })
  checkout.arrive()
  // the search is behind the notification
  fake.hideFromSearchUntil(railyard.clock.now() + 5 * MINUTE_MS)
  await checkout.deliver()
  await checkout.settle()
  expect((await verify(railyard.world.run)).findings).toEqual([])
  checkout.advance(11 * MINUTE_MS)
  await checkout.settle()
  expect(fake.effects().map(({ kind }) => kind)).toEqual(['payout'])
  // its outcome is sealed
  expect(await payout()).toMatchObject({ status: 'failed' })
  expect(await checkout.lateOutcomes('paid_out')).toBe(1)
  expect(railyard.logged.filter((line) => line.includes('paid all the same'))).toHaveLength(1)
  expect(await checkout.differences()).toMatchObject([{ transaction_id: created.id, kind: 'payout' }])
})
