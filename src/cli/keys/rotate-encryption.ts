import { stat } from 'node:fs/promises'
import { systemClock } from '../../base/clock.ts'
import type { Database } from '../../database/database.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import type { Settings } from '../../settings.ts'
import { deleteUnusedKeyChecks } from '../../vault/keys/key-check.ts'
import { addKey, makeKeyFirst, removeKeysExcept, removeUnusedKey } from '../../vault/keys/key-file.ts'
import type { MasterKeys } from '../../vault/keys/master-keys.ts'
import { type Rotation, rewrapAll, secretsByKey } from '../../vault/keys/rotation.ts'
import {
  announceKey,
  PROCESS_WAIT_MS,
  processNames,
  type ServiceProcess,
  wrappingKeyName,
} from '../../vault/keys/service-processes.ts'
import { commandStore } from '../support/command-database.ts'
import { runAsCommandLine } from '../support/command-line-actor.ts'
import { UserError } from '../support/user-error.ts'
import { runRotation, secrets } from './rotation-work.ts'

export interface RotateOptions {
  new?: boolean
  forgetOld?: boolean
}

const PROGRESS_MS = 1_000
/** Longer than any payment takes between sealing a secret and committing it. */
const IN_PROGRESS_MS = 3_600_000

/**
 * `railyard keys rotate-encryption`: answers the exit code, 0 when every secret is under the newest key. On
 * PostgreSQL, processes keep serving. `patienceMs` is how long it waits for processes.
 */
export async function rotateEncryption(
  settings: Settings,
  options: RotateOptions,
  patienceMs = PROCESS_WAIT_MS,
): Promise<number> {
  if (options.new && options.forgetOld)
    throw new UserError('--new and --forget-old are two steps: first the one, later the other')
  return runRotation(settings, patienceMs, async ({ database, masterKeys, signal, findUnready }) => {
    const waitForProcesses: WaitForProcesses = (isReady) =>
      findUnready(isReady, masterKeys.file !== undefined)
    if (!masterKeys.file) refuseFileOptions(options, masterKeys)
    if (masterKeys.file && !options.forgetOld)
      await chooseKey(
        { database, waitForProcesses },
        { ...masterKeys, file: masterKeys.file },
        options.new === true,
      )
    await announceOrRefuse(database, waitForProcesses, masterKeys, options.forgetOld === true)
    await runAsCommandLine(async () => recordRotation(database, await masterKeys.keys.currentKeyId()))
    const rotation = await rewrapAll(
      { ...database, keys: masterKeys.keys },
      { signal, progress: progressPrinter() },
    )
    const code = printRotation(rotation, masterKeys)
    // the checks first: a start is refused while one is there whose key is not
    if (code === 0)
      await deleteUnusedKeyChecks(database.db, [rotation.keyId, ...(await secretsByKey(database)).keys()])
    if (code === 0 && masterKeys.file && options.forgetOld)
      await forgetOld(settings, database, masterKeys.file)
    return code
  })
}

/**
 * Records the rotation in the audit log, before the first secret is wrapped again: a rotation that is stopped
 * has begun.
 */
const recordRotation = (database: Database, keyId: string) =>
  recordChange(database.db, commandStore(database), {
    account: 'default',
    action: 'updated',
    resource: { type: 'encryption-key', id: keyId, name: 'keys rotate-encryption' },
  })

function refuseFileOptions(options: RotateOptions, { source }: MasterKeys): void {
  if (options.new)
    throw new UserError(
      `--new makes a key in DATA_DIR/encryption_key, and ${source} is used here: see docs/operations/keys.md`,
    )
  if (options.forgetOld)
    throw new UserError(
      `--forget-old is for DATA_DIR/encryption_key, and ${source} is used here: see docs/operations/keys.md`,
    )
}

/**
 * Makes a new key, unless a rotation was stopped: then this one continues with its key. `alwaysNew` (`--new`)
 * makes one in any case.
 */
async function chooseKey(
  { database, waitForProcesses }: { database: Database; waitForProcesses: WaitForProcesses },
  { keys, file }: MasterKeys & { file: string },
  alwaysNew: boolean,
): Promise<void> {
  const current = await keys.currentKeyId()
  const earlier = [...(await secretsByKey(database))].filter(([id]) => id !== current)
  const left = earlier.reduce((sum, [, count]) => sum + count, 0)
  if (left > 0 && !alwaysNew)
    console.log(
      `Going on with the rotation to the key ${current}: ${secrets(left)} under earlier keys. No new key is made (--new makes one)`,
    )
  else await makeKey(waitForProcesses, file)
}

/** Waits until every process that serves is ready, and answers the processes that are not ready in time. */
type WaitForProcesses = (isReady: (process: ServiceProcess) => boolean) => Promise<ServiceProcess[]>

/**
 * Adds a key to the file, and makes it the first one when every process has read it: each process must be
 * able to open what another one wraps with the new key. Removes the key again if a process does not read it.
 */
async function makeKey(waitForProcesses: WaitForProcesses, file: string): Promise<void> {
  const id = await addKey(file)
  const unready = await waitForProcesses(({ encryption_keys: known }) => known.includes(id)).catch(
    async (error) => {
      await removeUnusedKey(file, id)
      throw error
    },
  )
  if (unready.length > 0) {
    await removeUnusedKey(file, id)
    throw new UserError(
      `${processNames(unready)} did not read the new key from ${file}, so it was taken out again and nothing was changed: every process must use this file (DATA_DIR), or stop`,
    )
  }
  await makeKeyFirst(file, id)
  console.log(`Made the key ${id}, the first in ${file}`)
}

/**
 * Announces the key that secrets are wrapped with. Throws `UserError` if a process does not know it, and
 * could not open what is wrapped with it. Before earlier keys are removed (`forgetsOld`), every process must
 * also wrap with it: another process would keep storing secrets under an earlier key.
 */
async function announceOrRefuse(
  { db }: Database,
  waitForProcesses: WaitForProcesses,
  { keys, source }: MasterKeys,
  forgetsOld: boolean,
): Promise<void> {
  const name = await wrappingKeyName(keys)
  const isReady = ({ encryption_keys: known }: ServiceProcess) =>
    forgetsOld ? known[0] === name : known.includes(name)
  const unready = await announceKey({ db, keys }, () => waitForProcesses(isReady))
  if (unready.length === 0) return
  const [does, wraps] = unready.length === 1 ? ['does', 'wraps'] : ['do', 'wrap']
  const problem = forgetsOld ? `still ${wraps} with another key than` : `${does} not know the key`
  throw new UserError(
    `${processNames(unready)} ${problem} ${name} (${source}): give it to every process, restart them, and run this again. No secret was wrapped anew`,
  )
}

/** Prints the progress, once a second at most. */
function progressPrinter(): (table: string, rewrapped: number) => void {
  let printedAt = performance.now()
  return (table, rewrapped) => {
    if (performance.now() - printedAt < PROGRESS_MS) return
    printedAt = performance.now()
    console.log(`${table}: ${secrets(rewrapped)} so far`)
  }
}

/** Prints the result; answers the exit code. */
function printRotation({ keyId, rewrapped, lost, stopped }: Rotation, { source }: MasterKeys): number {
  if (stopped) {
    console.log(`Stopped after ${secrets(rewrapped)}: run the same command again, and it goes on`)
    return 1
  }
  console.log(`${secrets(rewrapped)} wrapped anew under the key ${keyId} (${source})`)
  for (const [id, count] of lost)
    console.error(
      `${secrets(count)} under the key ${id} cannot be opened: put that key back (${source}) and run this again`,
    )
  if (lost.size > 0) return 1
  console.log('Every stored secret is under it. Backups made before need the earlier keys')
  return 0
}

/**
 * Removes the keys that no secret is under from the file. A process that serves follows the file, but a
 * payment that was in progress when the first key changed may still commit a secret under the earlier key; so
 * on PostgreSQL, keys stay for an hour after the last change of the file.
 */
async function forgetOld(settings: Settings, database: Database, file: string): Promise<void> {
  const ageMs = systemClock.now() - (await stat(file)).mtimeMs
  if (settings.databaseUrl && ageMs < IN_PROGRESS_MS)
    throw new UserError(
      `${file} changed less than an hour ago, and a payment that was in progress then may still store a secret under an earlier key: run this again in ${Math.ceil((IN_PROGRESS_MS - ageMs) / 60_000)} minutes`,
    )
  const used = await secretsByKey(database)
  const removed = await removeKeysExcept(file, new Set(used.keys()))
  console.log(
    removed.length > 0 ? `Took out of ${file}: ${removed.join(', ')}` : `There is no earlier key in ${file}`,
  )
}
