import { expect, onTestFinished, test, vi } from 'vitest'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import {
  cutNow,
  KEPT_MS,
  retire,
  sendWebhooks,
  startOldRailyard,
} from '../../test/support/domains/retention.ts'
import { updateInsights } from '../../test/support/insights.ts'
import { startReceiver, subscribe } from '../../test/support/receiver.ts'
import { openShop } from '../../test/support/shop.ts'
import { startInsights } from '../insights/columns/update-columns.ts'

vi.setConfig({ testTimeout: 300_000 })

test('payouts that cannot be deleted keep neither deliveries nor columns of the explorer, and the next round deletes them', async () => {
  const railyard = await startOldRailyard()
  onTestFinished(() => railyard.close())
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const { run } = railyard.world
  const shop = await openShop(railyard)
  await subscribe(railyard, shop.account, receiver)
  await shop.sold(10_00)
  await shop.post('/payouts', payoutOf(shop.paymentServiceId))
  await sendWebhooks(railyard)
  const insights = startInsights(railyard.world)
  await updateInsights({ world: railyard.world, insights })
  await insights.stop()
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
  const counts = async () =>
    (
      await run(
        `select (select count(*)::int from payouts) as payouts,
                (select count(*)::int from webhook_deliveries) as deliveries,
                (select count(*)::int from insight_hours) as hours`,
        [],
      )
    )[0]
  expect(await counts()).toEqual({ payouts: 1, deliveries: 3, hours: 1 })
  await run(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'canceling statement due to statement timeout'; end $$`,
    [],
  )
  await run('create trigger refuse before delete on payouts execute function refuse()', [])
  expect(await retire(railyard)).toBe(5)
  expect(await counts()).toEqual({ payouts: 1, deliveries: 0, hours: 0 })
  expect(railyard.logged.join()).toContain('rows of payouts of retired payments could not be deleted')
  await run('drop trigger refuse on payouts', [])
  await retire(railyard)
  expect(await counts()).toEqual({ payouts: 0, deliveries: 0, hours: 0 })
})
