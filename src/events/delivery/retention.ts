import { currentTimeValues, isInCurrentTimeSql } from '../../base/account-clock.ts'
import type { World } from '../../world.ts'

/**
 * How long a delivery that succeeded is listed, in milliseconds. One that failed is kept until its
 * event is retired (stricter than semantics §15.2).
 */
const KEEP_SUCCEEDED_MS = 30 * 86_400_000

const BATCH = 10_000

const deleteBatch = `
delete from webhook_deliveries
 where ctid = any(array(
       select ctid
         from webhook_deliveries
        where status = 'succeeded'
          and updated_at < $1::timestamptz
          and ${isInCurrentTimeSql('merchant_account_id', 2)}
        limit ${BATCH}))
returning 1 as one`

/**
 * Deletes deliveries that succeeded more than 30 days ago, in batches that hold no lock for long. After an
 * error, the next day's run tries again.
 */
export async function deleteOldDeliveries(world: World): Promise<void> {
  const before = new Date(world.clock.now() - KEEP_SUCCEEDED_MS).toISOString()
  try {
    for (;;) if ((await world.run(deleteBatch, [before, ...currentTimeValues()])).length < BATCH) return
  } catch (error) {
    world.log.error({ err: error }, 'old webhook deliveries could not be deleted; the next day tries again')
  }
}
