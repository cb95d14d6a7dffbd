import { setTimeout as wait } from 'node:timers/promises'
import { root, runMigrate } from '../crash/process.ts'
import { type Fleet, type Member, startFleet } from '../processes/fleet.ts'
import { type Struck, strikeAndCompare } from '../processes/strikes.ts'
import type { OlderVersion } from './older-version.ts'

interface Upgraded extends Struck {
  /** How long the migrations took, under load. */
  migrationMs: number
}

/** Until the load balancer knows. */
const NOTICED_MS = 500
const SERVED_MS = 2_000

/**
 * Upgrades a fleet of the older version under load, as docs/deploy.md says: this version's migrations while the old processes serve, then one process after the other. One goes back to the older
 * version on the new schema, and forward again. Nothing may fail, and what is left must be what clients were told and what the payment service's books say.
 */
export async function upgradeUnderLoad(older: OlderVersion, options: { seed: number; progress(line: string): void }): Promise<Upgraded> {
  const { seed, progress } = options
  const findings: string[] = []
  let migrationMs = 0
  const fleet = await startFleet({ apis: 2, workers: 1, folder: older.folder, env: { STOP_DELAY_MS: '1000' } })

  const replace = async (member: Member, folder: string) => {
    fleet.runFrom(folder)
    const { code, output } = await member.process.stop()
    if (code !== 0) findings.push(`a process ended with ${code}: ${output}`)
    await fleet.restart(member)
    await wait(NOTICED_MS)
  }
  const strike = async ({ members, env }: Fleet) => {
    await wait(SERVED_MS)
    const began = performance.now()
    const { code, output } = await runMigrate(env)
    migrationMs = Math.round(performance.now() - began)
    if (code !== 0) findings.push(`migrate ended with ${code}: ${output}`)
    progress(`migrated in ${migrationMs} ms; the old processes go on`)
    await wait(SERVED_MS)
    for (const member of members) await replace(member, root)
    progress('all processes are of this version')
    await wait(SERVED_MS)
    const [first] = members
    if (!first) return
    const goneBack = await replace(first, older.folder).then(
      () => 'one is of the older version again',
      (error) => {
        findings.push(`the older version does not start on the new schema: ${error}`)
        return 'none can be of the older version again'
      },
    )
    progress(goneBack)
    await wait(SERVED_MS)
    await replace(first, root)
    await wait(SERVED_MS)
    findings.push(...fleet.client.failures)
  }
  try {
    const struck = await strikeAndCompare(fleet, { seed, workers: 12, faults: false, progress, strike })
    for (const { ended, role } of fleet.members)
      for (const life of ended) {
        const { output } = await life
        findings.push(
          ...output
            .split('\n')
            .filter((line) => line.startsWith('{"level":"error"'))
            .map((line) => `${role} logged ${line}`),
        )
      }
    return { ...struck, migrationMs, findings: [...findings, ...struck.findings] }
  } finally {
    await fleet.close()
  }
}
