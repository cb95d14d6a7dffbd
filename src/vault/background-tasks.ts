import { runInEachAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import type { World } from '../world.ts'

/** Processes the due rows of one kind; answers how many there were. */
export type BackgroundTask = (world: World) => Promise<number>

export type BackgroundTasks = PeriodicTask

/**
 * Runs tasks that no request waits for, such as making and deleting tokens, in every process every few
 * seconds. The rows are the jobs.
 */
export function startBackgroundTasks(world: World, tasks: readonly BackgroundTask[]): BackgroundTasks {
  const runAll = async (stopped: () => boolean) => {
    let processed = 0
    for (const task of tasks) if (!stopped()) processed += await task(world)
    return processed
  }
  return startPeriodicTask(world.settings.recoveryInterval, runInEachAccountTime(world, runAll), (error) =>
    world.log.error({ err: error }, 'the due rows of the vault could not be read; it is tried again'),
  )
}
