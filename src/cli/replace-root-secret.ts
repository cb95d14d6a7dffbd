import { ApiError } from '../api/errors.ts'
import { recordChange } from '../database/audit-log.ts'
import type { Database } from '../database/database.ts'
import { sealAnew } from '../database/seal-chain.ts'
import { openVault, type Vault } from '../instance.ts'
import { createLog } from '../observability/log.ts'
import { chains } from '../sealing.ts'
import type { Settings } from '../settings.ts'
import { PATIENCE_MS, type Patience, processNames, type ServiceProcess, waitForProcesses } from '../vault/processes.ts'
import { announceRootSecret, newestRootSecret, retireRootSecrets, useRootSecret } from '../vault/root-secret.ts'
import { secretsByKey } from '../vault/rotation.ts'
import { type Resealing, resealAll, staleValues } from '../vault/sealed-values.ts'
import { asCommandLine } from './acting.ts'
import { commandStore, withDatabase } from './keys.ts'
import { lockRotation, secrets } from './rotate-encryption.ts'
import { UserError } from './user-error.ts'

export interface ReplaceOptions {
  endOverlap?: boolean
}

interface Work extends Vault {
  settings: Settings
  database: Database
  wait: Patience
}

/**
 * `railyard keys replace-root-secret`: the exit code is 0 when every value is sealed under the newest root secret. On PostgreSQL processes go on serving. Whatever ends it, running it again
 * goes on: the generation that is drawn and not used yet is taken, and values that are left are sealed.
 */
export async function replaceRootSecret(settings: Settings, options: ReplaceOptions, patience = PATIENCE_MS): Promise<number> {
  return withDatabase(settings, async (database) => {
    const stop = new AbortController()
    const lock = await lockRotation(settings, stop)
    const vault = await openVault(database.db, settings)
    const interrupt = () => stop.abort()
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
    try {
      const work: Work = { ...vault, settings, database, wait: { ms: patience, canLearn: true, signal: stop.signal } }
      if (options.endOverlap) return await endOverlap(work)
      await refuseUnrotated(work)
      await useNewest(work)
      const sealing = { ...database, ...vault, clock: database.time, log: createLog(settings.logLevel) }
      for (const chain of chains) await sealAnew(sealing, chain)
      return tell(await resealAll({ ...database, ...vault }, { signal: stop.signal }), vault)
    } catch (error) {
      throw error instanceof ApiError ? new UserError(`${error.reason ?? error.message}. Run the same command again, and it goes on`) : error
    } finally {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
      await vault.masterKeys.close()
      await lock?.release()
    }
  })
}

/** A root secret that is wrapped under a key that leaked has leaked with it. */
async function refuseUnrotated({ database, masterKeys }: Work): Promise<void> {
  const current = await masterKeys.keys.currentKeyId()
  const earlier = [...(await secretsByKey(database))].filter(([id]) => id !== current)
  if (earlier.length > 0)
    throw new UserError(
      'secrets are under an earlier encryption key still: complete `railyard keys rotate-encryption` first (docs/operations/leaked-key.md)',
    )
}

/** Draws a root secret and has every process use it, once every process knows it. One whose values are not all sealed again yet is gone on with. */
async function useNewest(work: Work): Promise<void> {
  const { database, masterKeys, rootSecrets } = work
  const { db, run } = database
  const newest = await newestRootSecret(db)
  const left = newest.isUsed && newest.generation > 1 ? await staleValues(database, newest.generation) : 0
  const generation = left > 0 ? newest.generation : await announceRootSecret(db, masterKeys.keys)
  if (left > 0) console.log(`Going on with the root secret ${generation}: ${secrets(left)} under earlier ones`)
  await waitFor(work, `must know the root secret ${generation} before it is used`, ({ root_secret_known: known }) => known >= generation)
  await asCommandLine(() =>
    recordChange(db, commandStore(database), {
      account: 'default',
      action: 'updated',
      resource: { type: 'encryption-key', id: `root secret ${generation}`, name: 'keys replace-root-secret' },
    }),
  )
  await useRootSecret(run, generation)
  console.log(`The root secret ${generation} is in use`)
  await waitFor(work, `must use the root secret ${generation} before values are sealed again`, ({ root_secret_used: used }) => used >= generation)
  await rootSecrets.refresh()
}

/** On the embedded database no other process serves. */
async function waitFor({ settings, database, wait }: Work, what: string, isReady: (process: ServiceProcess) => boolean): Promise<void> {
  const late = settings.databaseUrl ? await waitForProcesses(database, isReady, wait) : []
  if (late.length > 0) throw new UserError(`${processNames(late)} ${what}: see the log of each or stop it, and run this again; it goes on`)
}

function tell({ resealed, lost, stopped }: Resealing, { rootSecrets }: Vault): number {
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
async function endOverlap({ database, rootSecrets }: Work): Promise<number> {
  const { current } = rootSecrets
  const left = await staleValues(database, current)
  if (left > 0) throw new UserError(`${secrets(left)} are under an earlier root secret: complete \`railyard keys replace-root-secret\` first`)
  const retired = await retireRootSecrets(database.run, current)
  console.log(retired > 0 ? `What was signed before the root secret ${current} is refused from now on` : 'There is no overlap to end')
  return 0
}
