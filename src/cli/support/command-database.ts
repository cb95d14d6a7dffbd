import { setFlagsFromString } from 'node:v8'
import { prepareDataDir } from '../../base/data-dir.ts'
import { timeOrderedIds } from '../../base/ids.ts'
import type { Database } from '../../database/database.ts'
import { migrate } from '../../database/migrate.ts'
import { openDatabase } from '../../database/open-database.ts'
import type { Settings } from '../../settings.ts'
import './database-functions.ts'

/**
 * How much of a WebAssembly function runs before V8 compiles it again, to be faster: a hundred times V8's
 * default. Two fifths of the time of a command on the embedded database went into that, and the command was
 * over before it could pay. A command that runs for minutes reaches the budget all the same.
 */
const TIERING_BUDGET_BYTES = 1_300_000_000

/**
 * Opens the database for one command and brings its schema up to date; `migrated` are the migrations that
 * ran. Throws if a server runs on the embedded database, which belongs to one process. `withoutTimeout`:
 * statements may take as long as they need.
 */
export async function withDatabase<T>(
  settings: Settings,
  work: (database: Database, migrated: readonly string[]) => Promise<T>,
  { withoutTimeout = false } = {},
): Promise<T> {
  if (!settings.databaseUrl) {
    setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET_BYTES}`)
    await prepareDataDir(settings)
  }
  const database = await openDatabase(settings, { withoutTimeout })
  try {
    return await work(database, await migrate(database))
  } finally {
    await database.close()
  }
}

/** The part of a `World` that stores need, for a command, which has no `World`. */
export const commandStore = ({ db, changes, time }: Database) => ({
  db,
  changes,
  clock: time,
  ids: timeOrderedIds(time),
})
