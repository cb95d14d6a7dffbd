import { timeOf } from '../base/clock.ts'
import { timeOfId } from '../database/partitions/partitioned-tables.ts'
import { type BatchedChange, changeInBatches } from '../database/rows/change-in-batches.ts'
import { statementsOn } from '../database/statements.ts'
import type { World } from '../world.ts'
import { deleteWaitingDeliveries } from './delete-waiting-deliveries.ts'
import { retiredBelow } from './retirement.store.ts'

const outlivedPayouts: BatchedChange = {
  table: 'payouts',
  where: 'id < $1::uuid',
  along: { owners: 'merchant_accounts', index: ['merchant_account_id', 'id'] },
}

const outlivedDeliveries: BatchedChange = {
  table: 'webhook_deliveries',
  where: 'id < $1::uuid',
  along: { owners: 'webhook_subscriptions', index: ['webhook_subscription_id', 'id'] },
}

const outlivedHours: BatchedChange = {
  table: 'insight_hours',
  where: 'hour < $1::timestamptz',
  along: { owners: 'merchant_accounts', index: ['merchant_account_id', 'hour'] },
}

/**
 * Deletes what belongs to the time of retired payments and is in no partition: payouts, whose operations are gone,
 * deliveries of webhooks, whose events are gone, and columns of the metrics explorer. A table whose rows cannot be
 * deleted, and a process that dies, leave the rest to the next round.
 */
export async function deleteOutlived({
  db,
  machineClock,
  log,
}: Pick<World, 'db' | 'machineClock' | 'log'>): Promise<void> {
  const below = await retiredBelow(db)
  if (below <= '00000000-0000-0000-0000-000000000000') return
  const before = timeOfId(below)
  const world = { run: statementsOn(db) }
  const steps = {
    payouts: () => changeInBatches(world, outlivedPayouts, [below]),
    webhook_deliveries: async () => {
      await deleteWaitingDeliveries(db, below, timeOf(machineClock))
      await changeInBatches(world, outlivedDeliveries, [below])
    },
    insight_hours: () => changeInBatches(world, outlivedHours, [before]),
  }
  for (const [table, step] of Object.entries(steps))
    await step().catch((error) =>
      log.error(
        { err: error },
        `rows of ${table} of retired payments could not be deleted; the next hour tries again`,
      ),
    )
}
