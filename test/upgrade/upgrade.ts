import { setTimeout as wait } from 'node:timers/promises'
import { runMigrate } from '../crash/process.ts'
import { type Fleet, type Member, startFleet } from '../processes/fleet.ts'
import { type KillReport, killAndCompare } from '../processes/kills.ts'

interface Upgrade {
  /** Where the versions are that a fleet comes from and goes to. */
  from: string
  to: string
  /** Whether one process goes back to the older version on the new schema, and forward again. */
  andBack: boolean
  seed: number
  progress(line: string): void
}

interface Upgraded extends KillReport {
  /** How long the migrations took, under load. */
  migrationMs: number
}

/** As a fleet has it: long enough that no client uses a connection which is about to be closed. */
const STOP_DELAY_MS = 4_000
const SERVED_MS = 2_000

/**
 * Upgrades a fleet of the older version under load, as docs/guides/deploy.md describes: the newer migrations
 * while the old processes serve, then one process after the other; and back. Nothing may fail, and the data
 * must agree with the clients' answers and the payment service's books.
 */
export async function upgradeUnderLoad({ from, to, andBack, seed, progress }: Upgrade): Promise<Upgraded> {
  const findings: string[] = []
  let migrationMs = 0
  const fleet = await startFleet({
    apis: 2,
    workers: 1,
    folder: from,
    env: { STOP_DELAY_MS: String(STOP_DELAY_MS) },
  })

  /** Does a part of it, and says what was not answered meanwhile. */
  const during = async (part: string, work: () => Promise<void>) => {
    const before = fleet.client.failures.length
    await work()
    await wait(SERVED_MS)
    const failed = fleet.client.failures.slice(before)
    findings.push(...failed.map((failure) => `${part}: ${failure}`))
    progress(`${part}: ${failed.length} requests failed`)
  }
  const replace = async (member: Member, folder: string) => {
    fleet.runFrom(folder)
    const { code, output } = await member.process.stop()
    if (code !== 0) findings.push(`a process ended with ${code}: ${output}`)
    await fleet.restart(member)
  }
  const migrate = async () => {
    const began = performance.now()
    const { code, output } = await runMigrate(fleet.env, to)
    migrationMs = Math.round(performance.now() - began)
    if (code !== 0) findings.push(`migrate ended with ${code}: ${output}`)
  }
  const strike = async ({ members }: Fleet) => {
    const [first] = members
    if (!first) return
    await during('the older version serves', async () => undefined)
    await during('the schema is migrated beside it', migrate)
    for (const member of members)
      await during(`a process (${member.role}) is replaced by one of the newer version`, () =>
        replace(member, to),
      )
    if (!andBack) return
    await during('one goes back to the older version', () => replace(first, from))
    await during('and forward again', () => replace(first, to))
  }
  try {
    const compared = await killAndCompare(fleet, { seed, workers: 12, faults: false, progress, strike })
    return {
      ...compared,
      migrationMs,
      findings: [...findings, ...compared.findings, ...(await loggedErrors(fleet))],
    }
  } finally {
    await fleet.close()
  }
}

/** What processes that have ended logged as errors. */
async function loggedErrors({ members }: Fleet): Promise<string[]> {
  const lives = members.flatMap(({ role, ended }) =>
    ended.map(async (life) => ({ role, output: (await life).output })),
  )
  const errors = ({ role, output }: { role: string; output: string }) =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{"level":"error"'))
      .map((line) => `${role} logged ${line}`)
  return (await Promise.all(lives)).flatMap(errors)
}
