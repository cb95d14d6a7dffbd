import { auditChain } from './accounts/audit-seal.ts'
import { sealChain } from './database/seal-chain.ts'
import { journalChain } from './operations/journal-chain.ts'
import { makeRounds, type Rounds } from './rounds.ts'
import type { World } from './world.ts'

/** Every log that has a chain. */
export const chains = [auditChain, journalChain]

/** Seals what was written into each log that has a chain; answers how many links that made. */
export async function sealEverything(world: World, stopped: () => boolean = () => false): Promise<number> {
  let sealed = 0
  for (const chain of chains) sealed += await sealChain(world, chain, stopped)
  return sealed
}

export const startSealing = (world: World): Rounds =>
  makeRounds(
    world.settings.recoveryInterval,
    (stopped) => sealEverything(world, stopped),
    (error) => world.log.error({ err: error }, 'what was written could not be sealed'),
  )
