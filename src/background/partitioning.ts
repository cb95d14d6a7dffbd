import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import { keepPartitions } from '../database/partitions/keep-partitions.ts'
import type { World } from '../world.ts'

const HOUR_MS = 3_600_000

/** Gives the tables of payments their next partitions ahead of time (docs/operations/partitions.md). */
export const startPartitioning = (world: World): PeriodicTask =>
  startPeriodicTask(
    HOUR_MS,
    async () => {
      const { partitionRows } = world.settings
      return partitionRows === 0 ? 0 : keepPartitions(world, { wanted: partitionRows, dividesSmall: false })
    },
    (error) =>
      world.log.error(
        { err: error },
        'the tables of payments could not be given new partitions; if the role of DATABASE_URL does not own them, run railyard partitions cut with the role that does',
      ),
  )
