import { auditChain } from '../accounts/audit-log/audit-seal.ts'
import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import { sealChain } from '../database/logs/seal-chain.ts'
import { journalChain } from '../operations/journal/journal-chain.ts'
import type { World } from '../world.ts'

/** Every log that has a chain. */
export const sealedLogs = [auditChain, journalChain]

/** Seals what was written into each log that has a chain; answers how many links that made. */
export async function sealAllLogs(world: World, stopped: () => boolean = () => false): Promise<number> {
  let sealed = 0
  for (const chain of sealedLogs) sealed += await sealChain(world, chain, stopped)
  return sealed
}

export const startSealing = (world: World): PeriodicTask =>
  startPeriodicTask(
    world.settings.recoveryInterval,
    (stopped) => sealAllLogs(world, stopped),
    (error) => world.log.error({ err: error }, 'what was written could not be sealed'),
  )
