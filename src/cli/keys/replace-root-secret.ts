import { sealedLogs } from '../../background/seal-logs.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import { sealRetirementsUnderNewSecret } from '../../database/logs/retirement-seal.ts'
import { sealUnderNewSecret } from '../../database/logs/seal-chain.ts'
import { createLog } from '../../observability/log.ts'
import type { Settings } from '../../settings.ts'
import { announceRootSecret, retireRootSecrets, useRootSecret } from '../../vault/keys/root-secret.ts'
import { secretsByKey } from '../../vault/keys/rotation.ts'
import { type Resealing, resealAll, staleValues } from '../../vault/keys/sealed-values.ts'
import { PROCESS_WAIT_MS, processNames, type ServiceProcess } from '../../vault/keys/service-processes.ts'
import { commandStore } from '../support/command-database.ts'
import { runAsCommandLine } from '../support/command-line-actor.ts'
import { UserError } from '../support/user-error.ts'
import { type RotationWork, runRotation, secrets } from './rotation-work.ts'

export interface ReplaceOptions {
  endOverlap?: boolean
}

/**
 * `railyard keys replace-root-secret`: answers the exit code, 0 when every value is sealed under a new root
 * secret. On PostgreSQL, processes keep serving. If the command was stopped, running it again makes another
 * root secret and completes the replacement with that one. `patienceMs` is how long it waits for processes.
 */
export async function replaceRootSecret(
  settings: Settings,
  options: ReplaceOptions,
  patienceMs = PROCESS_WAIT_MS,
): Promise<number> {
  return runRotation(settings, patienceMs, async (work) => {
    if (options.endOverlap) return endOverlap(work)
    await refuseUnrotated(work)
    await rotateToNew(work)
    const { database, cipher, signal } = work
    const sealing = { ...database, cipher, clock: database.time, log: createLog(settings.logLevel) }
    for (const chain of sealedLogs) await sealUnderNewSecret(sealing, chain)
    await sealRetirementsUnderNewSecret(sealing)
    return printResealing(await resealAll({ ...database, cipher }, { signal }), work)
  })
}

/**
 * Throws `UserError` while a secret is under an earlier encryption key: a root secret that is wrapped under a
 * leaked key has leaked with it.
 */
async function refuseUnrotated({ database, masterKeys }: RotationWork): Promise<void> {
  const current = await masterKeys.keys.currentKeyId()
  const earlier = [...(await secretsByKey(database))].filter(([id]) => id !== current)
  if (earlier.length > 0)
    throw new UserError(
      'secrets are under an earlier encryption key still: complete `railyard keys rotate-encryption` first (docs/operations/leaked-key.md)',
    )
}

/** Makes a new root secret, and puts it to use once every process knows it. */
async function rotateToNew(work: RotationWork): Promise<void> {
  const { database, masterKeys, rootSecrets } = work
  const { db, run } = database
  const generation = await announceRootSecret(db, masterKeys.keys)
  await requireProcesses(
    work,
    `must know the root secret ${generation} before it is used`,
    ({ root_secret_known: known }) => known >= generation,
  )
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

/** Throws `UserError` if a process is not ready in time; `requirement` says what it must do. */
async function requireProcesses(
  { findUnready }: RotationWork,
  requirement: string,
  isReady: (process: ServiceProcess) => boolean,
): Promise<void> {
  const unready = await findUnready(isReady, true)
  if (unready.length > 0)
    throw new UserError(
      `${processNames(unready)} ${requirement}: see the log of each or stop it, and run this again`,
    )
}

/** Prints the result; answers the exit code. */
function printResealing({ resealed, lost, stopped }: Resealing, { rootSecrets }: RotationWork): number {
  if (stopped) {
    console.log(`Stopped after ${secrets(resealed)}: run the same command again`)
    return 1
  }
  console.log(`${secrets(resealed)} sealed again under the root secret ${rootSecrets.current}`)
  for (const [table, count] of lost)
    console.error(`${secrets(count)} of ${table} cannot be opened, and were left as they are`)
  if (lost.size > 0) return 1
  console.log(
    'What was signed under earlier root secrets is taken until `railyard keys replace-root-secret --end-overlap`',
  )
  return 0
}

/** Refuses signatures under earlier root secrets from now on; other processes follow within seconds. */
async function endOverlap({ database, rootSecrets }: RotationWork): Promise<number> {
  const { current } = rootSecrets
  const left = await staleValues(database, current)
  if (left > 0)
    throw new UserError(
      `${secrets(left)} are under an earlier root secret: complete \`railyard keys replace-root-secret\` first`,
    )
  const retired = await retireRootSecrets(database.run, current)
  console.log(
    retired > 0
      ? `What was signed before the root secret ${current} is refused from now on`
      : 'There is no overlap to end',
  )
  return 0
}
