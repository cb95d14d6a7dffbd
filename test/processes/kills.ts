import { setTimeout as wait } from 'node:timers/promises'
import { seeded } from '../crash/chance.ts'
import { isAcknowledged } from '../crash/client.ts'
import { compare } from '../crash/compare.ts'
import { setFaults } from '../crash/faults.ts'
import { createInstruments } from '../crash/instruments.ts'
import { startLoad } from '../crash/load.ts'
import { configure } from '../crash/orchestration.ts'
import { reviewerAt } from '../crash/reviewer.ts'
import type { Fleet } from './fleet.ts'

/** The report of a run with kills. */
export interface KillReport {
  findings: string[]
  requests: number
  acknowledged: number
  /** Requests that were repeated under their key because a kill took their answer. */
  retriedByKey: number
  replays: number
}

interface StrikeOptions {
  seed: number
  workers?: number
  /** Whether the payment service has faults meanwhile. */
  faults: boolean
  progress?(line: string): void
  /** Strikes under load, one after the other; the fleet is whole again when it ends. */
  strike(fleet: Fleet, chance: ReturnType<typeof seeded>): Promise<void>
}

/**
 * Puts the fleet under load, kills processes, and compares its data with the clients' answers and the payment
 * service's books. It stops the fleet.
 */
export async function killAndCompare(fleet: Fleet, options: StrikeOptions): Promise<KillReport> {
  const { seed, workers = 32, faults, progress = () => undefined, strike } = options
  const { client, sandboxUrl } = fleet
  const chance = seeded(seed)
  const reviewer = reviewerAt(await configure(client))
  const load = startLoad(client, { seed, workers, purse: await createInstruments(client), reviewer })
  await setFaults(sandboxUrl, chance, faults)
  load.resume()
  await strike(fleet, chance)
  await setFaults(sandboxUrl, chance, false)
  await wait(500)
  const { findings, replays } = await compare({ ...fleet, load, reviewer, service: fleet, progress })
  const { log } = client
  return {
    findings,
    requests: log.length,
    acknowledged: log.filter(isAcknowledged).length,
    retriedByKey: log.filter(({ tries }) => tries > 1).length,
    replays,
  }
}

/** Kills an API process and a worker at once with SIGKILL; both are started again under load. */
export async function killTwo(fleet: Fleet, chance: ReturnType<typeof seeded>): Promise<void> {
  await wait(chance.between(500, 2_500))
  const killed = (['api', 'worker'] as const).map((role) =>
    chance.pick(fleet.members.filter((member) => member.role === role)),
  )
  for (const { process } of killed) process.kill()
  await Promise.all(killed.map(({ process }) => process.ended))
  // the others run alone for a while
  await wait(chance.between(200, 1_500))
  await Promise.all(killed.map((member) => fleet.restart(member)))
}
