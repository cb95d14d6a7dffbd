import { type PeriodicTask, startPeriodicTask } from '../../base/periodic-task.ts'
import { markEventLog } from '../../database/logs/event-log.ts'
import type { World } from '../../world.ts'

const EVERY_MS = 60_000

/** Has a mark of how far the event log is every ten minutes, whichever process makes it. */
export const startLogMarks = (world: World): PeriodicTask =>
  startPeriodicTask(
    EVERY_MS,
    () => markEventLog(world),
    (error) => world.log.error({ err: error }, 'the event log could not be marked'),
  )
