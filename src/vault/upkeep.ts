import { roundInEachTime } from '../accounts/clock.store.ts'
import { makeRounds, type Rounds } from '../rounds.ts'
import type { World } from '../world.ts'

/** Takes up all of one kind of work that is due; answers how much it was. */
export type Chore = (world: World) => Promise<number>

export type Upkeep = Rounds

/** What nobody waits for: tokens to be made and deleted, cards to be asked about. In every process, every few seconds; the rows are the jobs. */
export function startUpkeep(world: World, chores: readonly Chore[]): Upkeep {
  const round = async (stopped: () => boolean) => {
    let handled = 0
    for (const chore of chores) if (!stopped()) handled += await chore(world)
    return handled
  }
  return makeRounds(world.settings.recoveryInterval, roundInEachTime(world, round), (error) =>
    world.log.error({ err: error }, 'the vault could not read what is due'),
  )
}
