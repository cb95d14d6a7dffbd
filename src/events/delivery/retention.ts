import { currentTimeValues, isInCurrentTimeSql } from '../../base/account-clock.ts'
import { changeInBatches } from '../../database/rows/change-in-batches.ts'
import type { World } from '../../world.ts'

/**
 * How long a delivery that succeeded is listed, in milliseconds. One that failed is kept until its
 * event is retired (stricter than semantics §15.2).
 */
const KEEP_SUCCEEDED_MS = 30 * 86_400_000

const oldDeliveries = {
  table: 'webhook_deliveries',
  where: `status = 'succeeded' and updated_at < $1::timestamptz and ${isInCurrentTimeSql('merchant_account_id', 2)}`,
}

/** Deletes deliveries that succeeded more than 30 days ago. After an error, the next day's run tries again. */
export async function deleteOldDeliveries(world: World): Promise<void> {
  const before = new Date(world.clock.now() - KEEP_SUCCEEDED_MS).toISOString()
  try {
    await changeInBatches(world, oldDeliveries, [before, ...currentTimeValues()])
  } catch (error) {
    world.log.error({ err: error }, 'old webhook deliveries could not be deleted; the next day tries again')
  }
}
