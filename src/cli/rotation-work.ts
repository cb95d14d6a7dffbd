import { ApiError } from '../api/errors.ts'
import type { Database } from '../database/database.ts'
import { takeLock } from '../database/postgres/advisory-lock.ts'
import type { Settings } from '../settings.ts'
import { type ServiceProcess, waitForProcesses } from '../vault/keys/service-processes.ts'
import { openVault, type Vault } from '../vault/open-vault.ts'
import { interruptible } from './interruptible.ts'
import { withDatabase } from './keys/keys.ts'
import { UserError } from './user-error.ts'

/** What a command has that replaces a key under what is stored. */
export interface RotationWork extends Vault {
  database: Database
  /** Aborted by Ctrl-C, and where the lock is lost. */
  signal: AbortSignal
  /** Waits until every process that serves is ready; answers the processes that are not. `canLearn`: a process can come to know a key without a restart. */
  findUnready(isReady: (process: ServiceProcess) => boolean, canLearn: boolean): Promise<ServiceProcess[]>
}

/**
 * Opens the database and the vault for one such command at a time; `patience` is how long processes that serve are waited for, in milliseconds. Whatever ends the work, running the command
 * again goes on.
 */
export function runRotation(settings: Settings, patience: number, work: (opened: RotationWork) => Promise<number>): Promise<number> {
  return withDatabase(settings, async (database) => {
    const stop = new AbortController()
    const { signal } = stop
    const lock = await lockRotation(settings, stop)
    const vault = await openVault(database.db, settings)
    // on the embedded database no other process serves
    const findUnready: RotationWork['findUnready'] = async (isReady, canLearn) =>
      settings.databaseUrl ? waitForProcesses(database, isReady, { ms: patience, canReloadKeys: canLearn, signal }) : []
    try {
      return await interruptible(stop, () => work({ ...vault, database, signal, findUnready }))
    } catch (error) {
      throw error instanceof ApiError ? new UserError(`${error.reason ?? error.message}. Run the same command again, and it goes on`) : error
    } finally {
      await vault.masterKeys.close()
      await lock?.release()
    }
  })
}

/** Two rotations at a time would each put a key into the file. The embedded database belongs to one process anyway. */
async function lockRotation({ databaseUrl }: Settings, stop: AbortController) {
  if (!databaseUrl) return undefined
  const lock = await takeLock(databaseUrl, 'railyard rotation', () => stop.abort())
  if (!lock) throw new UserError('another rotation is running on this database')
  return lock
}

export const secrets = (count: number) => `${count} ${count === 1 ? 'secret' : 'secrets'}`
