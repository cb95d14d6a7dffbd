import { currentTimeValues, isInCurrentTimeSql } from '../base/account-clock.ts'
import type { World } from '../world.ts'

const DAY_MS = 86_400_000
const BATCH = 10_000

/** After that, an operation that is refused late finds nothing to give back, which nobody could use any more. */
const USAGE_DAYS = 30

const deleteUsageBatch = `
delete from spending_usage
 where ctid = any(array(
       select ctid
         from spending_usage
        where day < $1::date
          and ${isInCurrentTimeSql('merchant_account_id', 2)}
        limit ${BATCH}))
returning 1 as one`

/** Deletes what was used of spending limits in days that are long over. */
export async function deleteOldSpendingUsage(world: World): Promise<void> {
  const before = new Date(world.clock.now() - USAGE_DAYS * DAY_MS).toISOString().slice(0, 10)
  while ((await world.run(deleteUsageBatch, [before, ...currentTimeValues()])).length === BATCH);
}
