import { currentTimeValues, isInCurrentTimeSql } from '../base/account-clock.ts'
import { changeInBatches } from '../database/rows/change-in-batches.ts'
import type { World } from '../world.ts'

const DAY_MS = 86_400_000

/** After that, an operation that is refused late finds nothing to give back, which nobody could use any more. */
const USAGE_DAYS = 30

const oldUsage = {
  table: 'spending_usage',
  where: `day < $1::date and ${isInCurrentTimeSql('merchant_account_id', 2)}`,
}

/** Deletes what was used of spending limits in days that are long over. */
export async function deleteOldSpendingUsage(world: World): Promise<void> {
  const before = new Date(world.clock.now() - USAGE_DAYS * DAY_MS).toISOString().slice(0, 10)
  await changeInBatches(world, oldUsage, [before, ...currentTimeValues()])
}
