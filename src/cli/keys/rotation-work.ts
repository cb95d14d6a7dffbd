import { ApiError } from '../../api/errors.ts'
import type { Database } from '../../database/database.ts'
import { takeLock } from '../../database/postgres/advisory-lock.ts'
import { statementsOn } from '../../database/statements.ts'
import { onConnectionWithout } from '../../database/without-timeout.ts'
import type { Settings } from '../../settings.ts'
import { type ServiceProcess, waitForProcesses } from '../../vault/keys/service-processes.ts'
import { openVault, type Vault } from '../../vault/open-vault.ts'
import { withDatabase } from '../support/command-database.ts'
import { interruptible } from '../support/interruptible.ts'
import { UserError } from '../support/user-error.ts'

/** The advisory lock that such a command has while it runs. */
export const ROTATION_LOCK = 'railyard rotation'

/** For a command that replaces a key of stored secrets. */
export interface RotationWork extends Vault {
  database: Database
  /** Aborted by Ctrl-C, and if the lock is lost. */
  signal: AbortSignal
  /**
   * Waits until every process that serves is ready, and answers the processes that are not ready in time.
   * `canReloadKeys`: processes read new keys without a restart.
   */
  findUnready(
    isReady: (process: ServiceProcess) => boolean,
    canReloadKeys: boolean,
  ): Promise<ServiceProcess[]>
}

/**
 * Runs a command that replaces a key, with the database and the vault; one at a time. `patienceMs` is how
 * long it waits for processes that serve.
 */
export function runRotation(
  settings: Settings,
  patienceMs: number,
  work: (opened: RotationWork) => Promise<number>,
): Promise<number> {
  return withWholeTables(settings, async (database) => {
    const stop = new AbortController()
    const { signal } = stop
    const lock = await lockRotation(settings, stop)
    let vault: Vault | undefined
    // on the embedded database no other process serves
    const findUnready: RotationWork['findUnready'] = async (isReady, canReloadKeys) =>
      settings.databaseUrl
        ? waitForProcesses(database, isReady, { ms: patienceMs, canReloadKeys, signal })
        : []
    try {
      const opened = await openVault(database.db, settings)
      vault = opened
      return await interruptible(stop, () => work({ ...opened, database, signal, findUnready }))
    } catch (error) {
      throw error instanceof ApiError
        ? new UserError(`${error.reason ?? error.message}. Run the same command again`)
        : error
    } finally {
      await vault?.masterKeys.close()
      await lock?.release()
    }
  })
}

/**
 * With the database on one connection whose statements have no time limit: they look through whole tables. The option
 * `withoutTimeout` of `withDatabase` would also let them wait minutes for a row, while a batch has locked others that
 * payments need.
 */
const withWholeTables = <T>(settings: Settings, work: (database: Database) => Promise<T>): Promise<T> =>
  withDatabase(settings, (database) =>
    onConnectionWithout(['statement_timeout'], database.db, (db) =>
      work({ ...database, db, run: statementsOn(db) }),
    ),
  )

/**
 * Takes the lock of rotations: two at a time would each put a key into the file. The embedded database needs
 * none, since it belongs to one process.
 */
async function lockRotation({ databaseUrl }: Settings, stop: AbortController) {
  if (!databaseUrl) return undefined
  const lock = await takeLock(databaseUrl, ROTATION_LOCK, () => stop.abort())
  if (!lock) throw new UserError('another rotation is running on this database')
  return lock
}

export const secrets = (count: number) => `${count} ${count === 1 ? 'secret' : 'secrets'}`
