import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { prepareDataDir } from '../../base/data-dir.ts'
import { timeOrderedIds } from '../../base/ids.ts'
import type { Database } from '../../database/database.ts'
import { isNew, migrate } from '../../database/migrate.ts'
import { openDatabase } from '../../database/open-database.ts'
import { databaseName } from '../../database/postgres/hosts.ts'
import type { Settings } from '../../settings.ts'
import { UserError } from './user-error.ts'
import './database-functions.ts'

/**
 * How much of a WebAssembly function runs before V8 compiles it again, to be faster: a hundred times V8's
 * default. Two fifths of the time of a command on the embedded database went into that, and the command was
 * over before it could pay. A command that runs for minutes reaches the budget all the same.
 */
const TIERING_BUDGET_BYTES = 1_300_000_000

type Work<T> = (database: Database, migrated: readonly string[]) => Promise<T>

interface CommandOptions {
  /** Statements may take as long as they need. */
  withoutTimeout?: boolean
}

/**
 * Opens the database for one command and brings its schema up to date; `migrated` are the migrations that
 * ran. Throws if a server runs on the embedded database, which belongs to one process, and if there is no
 * instance.
 */
export async function withDatabase<T>(
  settings: Settings,
  work: Work<T>,
  { withoutTimeout = false }: CommandOptions = {},
): Promise<T> {
  refuseNewFolder(settings)
  return openForCommand(settings, withoutTimeout, async (database) => {
    await refuseNewDatabase(settings, database)
    return work(database, await migrateWithWarnings(database))
  })
}

/** The same for a command that may come before the first start: it makes a new instance. */
export const withNewOrExistingDatabase = <T>(settings: Settings, work: Work<T>): Promise<T> =>
  openForCommand(settings, false, async (database) => work(database, await migrateWithWarnings(database)))

const migrateWithWarnings = (database: Database): Promise<string[]> =>
  migrate(database, (line) => console.error(line))

/**
 * `railyard migrate`. In production it makes no embedded database: without `DATABASE_URL`, a container would make one in
 * a folder that ends with it, and report success.
 */
export async function migrateAlone(settings: Settings): Promise<readonly string[]> {
  if (settings.environment === 'production') refuseNewFolder(settings)
  return withNewOrExistingDatabase(settings, async (_, migrated) => migrated)
}

async function openForCommand<T>(
  settings: Settings,
  withoutTimeout: boolean,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  if (!settings.databaseUrl) {
    setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET_BYTES}`)
    await prepareDataDir(settings)
  }
  const database = await openDatabase(settings, { withoutTimeout })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/**
 * Throws `UserError` if there is no instance: in a wrong folder, or with a wrong database, a command would make a
 * new one, verify nothing and back up nothing, and end with exit code 0. For commands without `withDatabase`.
 */
export async function requireInstance(settings: Settings): Promise<void> {
  refuseNewFolder(settings)
  if (!settings.databaseUrl) return
  const database = await openDatabase(settings)
  await refuseNewDatabase(settings, database).finally(database.close)
}

function refuseNewFolder({ databaseUrl, dataDir }: Settings): void {
  if (!databaseUrl && !existsSync(join(dataDir, 'database', 'PG_VERSION')))
    throw new UserError(
      `there is no database in DATA_DIR, ${dataDir}: run the command in the folder of the service and with its settings (DATA_DIR, or DATABASE_URL)`,
    )
}

async function refuseNewDatabase({ databaseUrl }: Settings, { db }: Database): Promise<void> {
  if (databaseUrl && (await isNew(db)))
    throw new UserError(
      `the database of DATABASE_URL, ${databaseName(databaseUrl)}, has no tables of Railyard: name the database of the service, or run railyard migrate first`,
    )
}

/** The part of a `World` that stores need, for a command, which has no `World`. */
export const commandStore = ({ db, changes, time }: Database) => ({
  db,
  changes,
  clock: time,
  ids: timeOrderedIds(time),
})
