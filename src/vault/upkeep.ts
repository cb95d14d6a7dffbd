import type { World } from '../world.ts'

/** Takes up all of one kind of work that is due; answers how much it was. */
export type Chore = (world: World) => Promise<number>

export interface Upkeep {
  /** Takes up everything that is due now and waits for it. */
  runOnce(): Promise<number>
  stop(): Promise<void>
}

/** What nobody waits for: tokens to be made and deleted, cards to be asked about. In every process, every few seconds; the rows are the jobs. */
export function startUpkeep(world: World, chores: readonly Chore[]): Upkeep {
  let running: Promise<number> | undefined
  let stopped = false
  const pass = async () => {
    let handled = 0
    for (const chore of chores) if (!stopped) handled += await chore(world)
    return handled
  }
  const runOnce = () => {
    running ??= pass().finally(() => {
      running = undefined
    })
    return running
  }
  const timer = setInterval(() => {
    runOnce().catch((error) => world.log.error({ err: error }, 'the vault could not read what is due'))
  }, world.settings.recoveryInterval)
  timer.unref()
  return {
    runOnce,
    async stop() {
      stopped = true
      clearInterval(timer)
      await running?.catch(() => undefined)
    },
  }
}
