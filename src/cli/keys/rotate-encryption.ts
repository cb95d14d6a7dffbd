import { stat } from 'node:fs/promises'
import { systemClock } from '../../base/clock.ts'
import type { Database } from '../../database/database.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import type { Settings } from '../../settings.ts'
import { deleteUnusedKeyChecks } from '../../vault/keys/key-check.ts'
import { addKey, makeKeyFirst, removeKeysExcept, removeUnusedKey } from '../../vault/keys/key-file.ts'
import type { MasterKeys } from '../../vault/keys/master-keys.ts'
import { type Rotation, rewrapAll, secretsByKey } from '../../vault/keys/rotation.ts'
import { announceKey, PROCESS_WAIT_MS, processNames, type ServiceProcess, wrappingKeyName } from '../../vault/keys/service-processes.ts'
import { runAsCommandLine } from '../command-line-actor.ts'
import { runRotation, secrets } from '../rotation-work.ts'
import { UserError } from '../user-error.ts'
import { commandStore } from './keys.ts'

export interface RotateOptions {
  new?: boolean
  forgetOld?: boolean
}

const PROGRESS_MS = 1_000
/** Longer than a payment can hold a secret that it sealed and has not committed yet. */
const IN_PROGRESS_MS = 3_600_000

/** `railyard keys rotate-encryption`: the exit code is 0 when every secret is under the newest key. On PostgreSQL processes go on serving. */
export async function rotateEncryption(settings: Settings, options: RotateOptions, patience = PROCESS_WAIT_MS): Promise<number> {
  if (options.new && options.forgetOld) throw new UserError('--new and --forget-old are two steps: first the one, later the other')
  return runRotation(settings, patience, async ({ database, masterKeys, signal, findUnready }) => {
    const awaited: WaitForProcesses = (isReady) => findUnready(isReady, masterKeys.file !== undefined)
    if (!masterKeys.file) refuseFileOptions(options, masterKeys)
    if (masterKeys.file && !options.forgetOld) await chooseKey({ database, awaited }, { ...masterKeys, file: masterKeys.file }, options.new === true)
    await announceOrRefuse(database, awaited, masterKeys, options.forgetOld === true)
    await runAsCommandLine(async () => recordRotation(database, await masterKeys.keys.currentKeyId()))
    const rotation = await rewrapAll({ ...database, keys: masterKeys.keys }, { signal, progress: reporter() })
    const code = printRotation(rotation, masterKeys)
    if (code === 0 && masterKeys.file && options.forgetOld) await forgetOld(settings, database, masterKeys.file)
    if (code === 0) await deleteUnusedKeyChecks(database.db, [rotation.keyId, ...(await secretsByKey(database)).keys()])
    return code
  })
}

/** Before the first secret is wrapped anew: a rotation that is stopped has begun. */
const recordRotation = (database: Database, keyId: string) =>
  recordChange(database.db, commandStore(database), {
    account: 'default',
    action: 'updated',
    resource: { type: 'encryption-key', id: keyId, name: 'keys rotate-encryption' },
  })

function refuseFileOptions(options: RotateOptions, { source }: MasterKeys): void {
  if (options.new) throw new UserError(`--new makes a key in DATA_DIR/encryption_key, and ${source} is used here: see docs/operations/keys.md`)
  if (options.forgetOld) throw new UserError(`--forget-old is for DATA_DIR/encryption_key, and ${source} is used here: see docs/operations/keys.md`)
}

/** A rotation that was stopped is gone on with; another key only makes sense when it is complete, or by `--new`. */
async function chooseKey(
  { database, awaited }: { database: Database; awaited: WaitForProcesses },
  { keys, file }: MasterKeys & { file: string },
  another: boolean,
): Promise<void> {
  const current = await keys.currentKeyId()
  const earlier = [...(await secretsByKey(database))].filter(([id]) => id !== current)
  const left = earlier.reduce((sum, [, count]) => sum + count, 0)
  if (left > 0 && !another)
    console.log(`Going on with the rotation to the key ${current}: ${secrets(left)} under earlier keys. No new key is made (--new makes one)`)
  else await makeKey(awaited, file)
}

/** Waits until every process that serves is ready; answers the processes that are not. */
type WaitForProcesses = (isReady: (process: ServiceProcess) => boolean) => Promise<ServiceProcess[]>

/** Every process must be able to open what another process wraps with the new key, so it is put first when all of them have read it. */
async function makeKey(awaited: WaitForProcesses, file: string): Promise<void> {
  const id = await addKey(file)
  const strangers = await awaited(({ encryption_keys: known }) => known.includes(id)).catch(async (error) => {
    await removeUnusedKey(file, id)
    throw error
  })
  if (strangers.length > 0) {
    await removeUnusedKey(file, id)
    throw new UserError(
      `${processNames(strangers)} did not read the new key from ${file}, so it was taken out again and nothing was changed: every process must use this file (DATA_DIR), or stop`,
    )
  }
  await makeKeyFirst(file, id)
  console.log(`Made the key ${id}, the first in ${file}`)
}

/**
 * A process that does not know the key cannot open what is wrapped under it. Keys are taken out of the file only when every process wraps with the newest: another process would go on
 * storing secrets under an earlier key.
 */
async function announceOrRefuse({ db }: Database, awaited: WaitForProcesses, { keys, source }: MasterKeys, forgetting: boolean): Promise<void> {
  const name = await wrappingKeyName(keys)
  const isReady = ({ encryption_keys: known }: ServiceProcess) => (forgetting ? known[0] === name : known.includes(name))
  const strangers = await announceKey({ db, keys }, () => awaited(isReady))
  if (strangers.length === 0) return
  const [does, wraps] = strangers.length === 1 ? ['does', 'wraps'] : ['do', 'wrap']
  const what = forgetting ? `still ${wraps} with another key than` : `${does} not know the key`
  throw new UserError(
    `${processNames(strangers)} ${what} ${name} (${source}): give it to every process, restart them, and run this again. No secret was wrapped anew`,
  )
}

function reporter(): (table: string, rewrapped: number) => void {
  let told = performance.now()
  return (table, rewrapped) => {
    if (performance.now() - told < PROGRESS_MS) return
    told = performance.now()
    console.log(`${table}: ${secrets(rewrapped)} so far`)
  }
}

function printRotation({ keyId, rewrapped, lost, stopped }: Rotation, { source }: MasterKeys): number {
  if (stopped) {
    console.log(`Stopped after ${secrets(rewrapped)}: run the same command again, and it goes on`)
    return 1
  }
  console.log(`${secrets(rewrapped)} wrapped anew under the key ${keyId} (${source})`)
  for (const [id, count] of lost)
    console.error(`${secrets(count)} under the key ${id} cannot be opened: put that key back (${source}) and run this again`)
  if (lost.size > 0) return 1
  console.log('Every stored secret is under it. Backups made before need the earlier keys')
  return 0
}

/**
 * Takes out the keys that no secret is under. A process that serves follows the file, but a payment that was under way when a key came first in it may be about
 * to commit a secret that it sealed under the one before; so keys stay for an hour where others can serve.
 */
async function forgetOld(settings: Settings, database: Database, file: string): Promise<void> {
  const age = systemClock.now() - (await stat(file)).mtimeMs
  if (settings.databaseUrl && age < IN_PROGRESS_MS)
    throw new UserError(
      `${file} changed less than an hour ago, and what was under way then may still be stored under an earlier key: run this again in ${Math.ceil((IN_PROGRESS_MS - age) / 60_000)} minutes`,
    )
  const used = await secretsByKey(database)
  const forgotten = await removeKeysExcept(file, new Set(used.keys()))
  console.log(forgotten.length > 0 ? `Took out of ${file}: ${forgotten.join(', ')}` : `There is no earlier key in ${file}`)
}
