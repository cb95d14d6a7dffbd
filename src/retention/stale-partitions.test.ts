import { expect, onTestFinished, test } from 'vitest'
import { cutNow, KEPT_MS, MONTHS, startOldRailyard } from '../../test/support/domains/retention.ts'
import { openShop } from '../../test/support/shop.ts'
import { ofPayment } from '../database/partitions/payment-partitions.ts'
import { sqlFunction } from '../database/sql-function.ts'
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

test('a function that the database does not have yet finds no payment that another process has retired', async () => {
  const railyard = await startOldRailyard()
  onTestFinished(railyard.close)
  const { world } = railyard
  const shop = await openShop(railyard)
  const { id: payment } = await shop.sold(80_00)
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
  // this process does not learn that the partition is gone
  const partitions = { ...world.partitions, load: async () => undefined }
  const options = { months: MONTHS, archiveDir: undefined, actor: 'another process', patience: 10_000 }
  expect(await retireDuePayments({ ...world, partitions }, options)).toBe(5)
  expect(await captured.call(world, { account: shop.account, payment })).toBeNull()
})
