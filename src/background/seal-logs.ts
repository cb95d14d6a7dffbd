import { auditChain } from '../accounts/audit-log/audit-seal.ts'
import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import { sealChain } from '../database/logs/seal-chain.ts'
import { journalChain } from '../operations/journal/journal-chain.ts'
import type { World } from '../world.ts'

/** The chains of the audit log and of the journal. */
export const sealedLogs = [auditChain, journalChain]

/** Seals the rows of each log that are not sealed yet. Returns the number of new seals. */
export async function sealAllLogs(world: World, isStopped: () => boolean = () => false): Promise<number> {
  let sealed = 0
  for (const chain of sealedLogs) sealed += await sealChain(world, chain, isStopped)
  return sealed
}

export const startSealing = (world: World): PeriodicTask =>
  startPeriodicTask(
    world.settings.recoveryInterval,
    (isStopped) => sealAllLogs(world, isStopped),
    (error) =>
      world.log.error({ err: error }, 'new rows of the audit log or the journal could not be sealed'),
  )
