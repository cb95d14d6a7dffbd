import { sealedLogs } from '../../background/seal-logs.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import { sealUnderNewSecret } from '../../database/logs/seal-chain.ts'
import { createLog } from '../../observability/log.ts'
import type { Settings } from '../../settings.ts'
import { announceRootSecret, newestRootSecret, retireRootSecrets, useRootSecret } from '../../vault/keys/root-secret.ts'
import { secretsByKey } from '../../vault/keys/rotation.ts'
import { type Resealing, resealAll, staleValues } from '../../vault/keys/sealed-values.ts'
import { PROCESS_WAIT_MS, processNames, type ServiceProcess } from '../../vault/keys/service-processes.ts'
import { runAsCommandLine } from '../command-line-actor.ts'
import { type RotationWork, runRotation, secrets } from '../rotation-work.ts'
import { UserError } from '../user-error.ts'
import { commandStore } from './keys.ts'

export interface ReplaceOptions {
  endOverlap?: boolean
}

/**
 * `railyard keys replace-root-secret`: the exit code is 0 when every value is sealed under the newest root secret. On PostgreSQL processes go on serving. Whatever ends it, running it again
 * goes on: the generation that is drawn and not used yet is taken, and values that are left are sealed.
 */
export async function replaceRootSecret(settings: Settings, options: ReplaceOptions, patience = PROCESS_WAIT_MS): Promise<number> {
  return runRotation(settings, patience, async (work) => {
    if (options.endOverlap) return endOverlap(work)
    await refuseUnrotated(work)
    await rotateToNewest(work)
    const { database, cipher, signal } = work
    const sealing = { ...database, cipher, clock: database.time, log: createLog(settings.logLevel) }
    for (const chain of sealedLogs) await sealUnderNewSecret(sealing, chain)
    return printResealing(await resealAll({ ...database, cipher }, { signal }), work)
  })
}

/** A root secret that is wrapped under a key that leaked has leaked with it. */
async function refuseUnrotated({ database, masterKeys }: RotationWork): Promise<void> {
  const current = await masterKeys.keys.currentKeyId()
  const earlier = [...(await secretsByKey(database))].filter(([id]) => id !== current)
  if (earlier.length > 0)
    throw new UserError(
      'secrets are under an earlier encryption key still: complete `railyard keys rotate-encryption` first (docs/operations/leaked-key.md)',
    )
}

/** Draws a root secret and has every process use it, once every process knows it. One whose values are not all sealed again yet is gone on with. */
async function rotateToNewest(work: RotationWork): Promise<void> {
  const { database, masterKeys, rootSecrets } = work
  const { db, run } = database
  const newest = await newestRootSecret(db)
  const left = newest.isUsed && newest.generation > 1 ? await staleValues(database, newest.generation) : 0
  const generation = left > 0 ? newest.generation : await announceRootSecret(db, masterKeys.keys)
  if (left > 0) console.log(`Going on with the root secret ${generation}: ${secrets(left)} under earlier ones`)
  await requireProcesses(work, `must know the root secret ${generation} before it is used`, ({ root_secret_known: known }) => known >= generation)
  await runAsCommandLine(() =>
    recordChange(db, commandStore(database), {
      account: 'default',
      action: 'updated',
      resource: { type: 'encryption-key', id: `root secret ${generation}`, name: 'keys replace-root-secret' },
    }),
  )
  await useRootSecret(run, generation)
  console.log(`The root secret ${generation} is in use`)
  await requireProcesses(
    work,
    `must use the root secret ${generation} before values are sealed again`,
    ({ root_secret_used: used }) => used >= generation,
  )
  await rootSecrets.refresh()
}

async function requireProcesses({ findUnready }: RotationWork, what: string, isReady: (process: ServiceProcess) => boolean): Promise<void> {
  const late = await findUnready(isReady, true)
  if (late.length > 0) throw new UserError(`${processNames(late)} ${what}: see the log of each or stop it, and run this again; it goes on`)
}

function printResealing({ resealed, lost, stopped }: Resealing, { rootSecrets }: RotationWork): number {
  if (stopped) {
    console.log(`Stopped after ${secrets(resealed)}: run the same command again, and it goes on`)
    return 1
  }
  console.log(`${secrets(resealed)} sealed again under the root secret ${rootSecrets.current}`)
  for (const [table, count] of lost) console.error(`${secrets(count)} of ${table} cannot be opened, and were left as they are`)
  if (lost.size > 0) return 1
  console.log('What was signed under earlier root secrets is taken until `railyard keys replace-root-secret --end-overlap`')
  return 0
}

/** Processes follow within seconds. */
async function endOverlap({ database, rootSecrets }: RotationWork): Promise<number> {
  const { current } = rootSecrets
  const left = await staleValues(database, current)
  if (left > 0) throw new UserError(`${secrets(left)} are under an earlier root secret: complete \`railyard keys replace-root-secret\` first`)
  const retired = await retireRootSecrets(database.run, current)
  console.log(retired > 0 ? `What was signed before the root secret ${current} is refused from now on` : 'There is no overlap to end')
  return 0
}
