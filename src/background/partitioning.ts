import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import { isOnCitus } from '../database/citus/cluster.ts'
import { cutDueTables } from '../database/partitions/cut-due-tables.ts'
import { readPartitions } from '../database/partitions/read-partitions.ts'
import { ownershipProblem } from '../database/partitions/table-owner.ts'
import { dueBounds } from '../retention/due-bound.ts'
import { partitionSize } from '../retention/partition-size.ts'
import { retireDuePayments } from '../retention/retire-payments.ts'
import type { World } from '../world.ts'

const HOUR_MS = 3_600_000
/** With a larger difference between the clocks of the database and of this process one of them is wrong. */
const CLOCKS_AGREE_MS = 12 * HOUR_MS
/** After a start, so that workers that are restarted every hour have rounds, too. */
const FIRST_ROUND_MS = 120_000

/**
 * Gives the tables of payments their next partitions ahead of time, and retires the payments of old ones
 * (docs/operations/partitions.md). Not on Citus, where shards divide them.
 */
export const startPartitioning = (world: World): PeriodicTask =>
  startPeriodicTask(
    HOUR_MS,
    async () => {
      if (await isOnCitus(world.db)) return 0
      const cut = await cutDueTables(world, partitionSize(world.settings))
      return cut + (await retireDue(world))
    },
    (error) => {
      world.metrics.partitioningFailed()
      world.log.error(
        { err: error },
        'the tables of payments could not be given new partitions, or old payments could not be retired; if the role of DATABASE_URL does not own them, run railyard partitions cut and railyard partitions retire --yes with the role that does',
      )
    },
    { firstAfterMs: FIRST_ROUND_MS },
  )

async function retireDue(world: World): Promise<number> {
  const { retentionMonths: months, archiveDir } = world.settings
  if (months === 0) return 0
  const due = dueBounds(await readPartitions(world.db), months, world.machineClock.now())
  const problem = due.length > 0 ? (clockProblem(world) ?? (await ownershipProblem(world.db))) : undefined
  // before files are written for nothing
  if (problem !== undefined) throw new Error(problem)
  return retireDuePayments(world, { months, archiveDir, actor: 'background' })
}

/** What is due is told by the database's clock, and nothing brings retired payments back. */
const clockProblem = ({ clockSkew }: World): string | undefined =>
  Math.abs(clockSkew()) > CLOCKS_AGREE_MS
    ? 'the clocks of the database and of this process are more than twelve hours apart'
    : undefined
