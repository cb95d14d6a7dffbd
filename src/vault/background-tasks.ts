import { runInEachAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { type JobRound, startJobRounds } from '../base/due-jobs.ts'
import type { PeriodicTask } from '../base/periodic-task.ts'
import type { World } from '../world.ts'

/** Processes the due rows of one kind; answers how many there were. */
export type BackgroundTask = (world: World, round?: JobRound) => Promise<number>

export type BackgroundTasks = PeriodicTask

/**
 * Runs tasks that no request waits for, such as making and deleting tokens, in every process every few
 * seconds. The rows are the jobs.
 */
export function startBackgroundTasks(world: World, tasks: readonly BackgroundTask[]): BackgroundTasks {
  const runAll = async (round: Required<JobRound>) => {
    let processed = 0
    for (const task of tasks) if (!round.stopped()) processed += await task(world, round)
    return processed
  }
  return startJobRounds(
    world.settings.recoveryInterval,
    (round) => runInEachAccountTime(world, () => runAll(round))(round.stopped),
    (error) =>
      world.log.error({ err: error }, 'the due rows of the vault could not be read; it is tried again'),
  )
}
