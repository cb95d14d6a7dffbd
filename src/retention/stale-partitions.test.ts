import { expect, onTestFinished, test } from 'vitest'
import { cutNow, KEPT_MS, MONTHS, startOldRailyard } from '../../test/support/domains/retention.ts'
import { openShop } from '../../test/support/shop.ts'
import { ofPayment } from '../database/partitions/payment-partitions.ts'
import { sqlFunction } from '../database/sql-function.ts'
import { appendTimelineEntry } from '../transactions/outcome/sync-transaction.ts'
import { timelineEntry } from '../transactions/timeline.ts'
import { retireDuePayments } from './retire-payments.ts'

/** Stands for the commits of captures and refunds, in a process that sends the first one about a payment of this partition. */
const captured = sqlFunction({
  name: 'captured_for_test',
  parameters: { account: 'text', payment: 'uuid' },
  returns: 'text',
  body: (p) => `
begin
  return (select captured_amount
            from ${ofPayment('transactions', p.payment)}
           where merchant_account_id = ${p.account}
             and id = ${p.payment});
end`,
})

/** A payment that another process has retired, while this one does not know that the partition is gone. */
async function retiredPayment() {
  const railyard = await startOldRailyard()
  onTestFinished(railyard.close)
  const { world } = railyard
  const shop = await openShop(railyard)
  const { id: payment } = await shop.sold(80_00)
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
  const partitions = { ...world.partitions, load: async () => undefined }
  const options = { months: MONTHS, archiveDir: undefined, actor: 'another process', patience: 10_000 }
  expect(await retireDuePayments({ ...world, partitions }, options)).toBe(5)
  return { world, account: shop.account, payment }
}

test('a function that the database does not have yet finds no payment that another process has retired', async () => {
  const { world, account, payment } = await retiredPayment()
  expect(await captured.call(world, { account, payment })).toBeNull()
})

test('a sync or a notification that read its payment before the retirement ends without a line for the timeline', async () => {
  const { world, account, payment } = await retiredPayment()
  const line = timelineEntry(world, 'transaction-sync-event', { operations: 0 })
  await appendTimelineEntry(world, account, payment, line)
  expect(await world.run('select from transaction_events', [])).toEqual([])
})
