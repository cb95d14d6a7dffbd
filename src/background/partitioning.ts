import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import { isOnCitus } from '../database/citus/cluster.ts'
import { keepPartitions } from '../database/partitions/keep-partitions.ts'
import { partitionSize } from '../retention/partition-size.ts'
import { retireDuePayments } from '../retention/retire-payments.ts'
import type { World } from '../world.ts'

const HOUR_MS = 3_600_000

/**
 * Gives the tables of payments their next partitions ahead of time, and retires the payments of old ones
 * (docs/operations/partitions.md). Not on Citus, where shards divide them.
 */
export const startPartitioning = (world: World): PeriodicTask =>
  startPeriodicTask(
    HOUR_MS,
    async () => {
      if (await isOnCitus(world.db)) return 0
      const { retentionMonths: months, archiveDir } = world.settings
      const size = partitionSize(world.settings)
      const cut = size === undefined ? 0 : await keepPartitions(world, size)
      return months === 0
        ? cut
        : cut + (await retireDuePayments(world, { months, archiveDir, actor: 'background' }))
    },
    (error) =>
      world.log.error(
        { err: error },
        'the tables of payments could not be given new partitions, or old payments could not be retired; if the role of DATABASE_URL does not own them, run railyard partitions cut and railyard partitions retire with the role that does',
      ),
  )
