import { prepareDataDir } from '../base/data-dir.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { openInMemory } from '../database/embedded/in-memory.ts'
import type { Settings } from '../settings.ts'
import { checkProcessRole } from './process-role.ts'

/**
 * What a start begins with: it needs next to nothing of what serves requests, which can be loaded meanwhile. Answers how to wait for the database, whose schema is
 * brought up to date later: the embedded one is opening by then, in a thread of its own that loading would otherwise keep from being started.
 * Throws `InvalidSetting`, and so does waiting, which throws `FolderInUse` and `UnusableDatabase`, too.
 */
export async function startOpeningDatabase(settings: Settings, { inMemory = false } = {}): Promise<() => Promise<Database>> {
  checkProcessRole(settings)
  await prepareDataDir(settings)
  const open = () => (inMemory ? openInMemory(settings) : openDatabase(settings))
  // loading gives nobody a turn, and a connection to PostgreSQL that is answered meanwhile would count as one that is not
  if (settings.databaseUrl) return open
  const database = open()
  database.catch(() => undefined) // who waits is told
  return () => database
}
