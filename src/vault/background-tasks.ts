import { runInEachAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import type { World } from '../world.ts'

/** Takes up all of one kind of work that is due; answers how much it was. */
export type BackgroundTask = (world: World) => Promise<number>

export type BackgroundTasks = PeriodicTask

/** What nobody waits for: tokens to be made and deleted, cards to be asked about. In every process, every few seconds; the rows are the jobs. */
export function startBackgroundTasks(world: World, chores: readonly BackgroundTask[]): BackgroundTasks {
  const round = async (stopped: () => boolean) => {
    let handled = 0
    for (const chore of chores) if (!stopped()) handled += await chore(world)
    return handled
  }
  return startPeriodicTask(world.settings.recoveryInterval, runInEachAccountTime(world, round), (error) =>
    world.log.error({ err: error }, 'the vault could not read what is due'),
  )
}
