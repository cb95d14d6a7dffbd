import { type PeriodicTask, startPeriodicTask } from '../../base/periodic-task.ts'
import { markEventLog } from '../../database/logs/event-log.ts'
import type { World } from '../../world.ts'

const EVERY_MS = 60_000

/**
 * Marks the event log's horizon: each process tries every minute, and the log gets one mark every ten
 * minutes.
 */
export const startLogMarks = (world: World): PeriodicTask =>
  startPeriodicTask(
    EVERY_MS,
    () => markEventLog(world),
    (error) =>
      world.log.error({ err: error }, 'the event log could not be marked; the next minute tries again'),
  )
