import { prepareDataDir } from './data-dir.ts'
import { type Database, openDatabase } from './database/database.ts'
import { openInMemory } from './database/in-memory.ts'
import { refuseRole } from './role.ts'
import type { Settings } from './settings.ts'

/**
 * What a start begins with: it needs next to nothing of what serves requests, which can be loaded while the database opens. Answers how to wait for the database, whose
 * schema is brought up to date later: the embedded one is opening by then in a thread of its own, which loading would otherwise keep from being started.
 * Throws `InvalidSetting`, and so does waiting, which throws `FolderInUse` and `UnusableDatabase`, too.
 */
export async function openInstance(settings: Settings, { inMemory = false } = {}): Promise<() => Promise<Database>> {
  refuseRole(settings)
  await prepareDataDir(settings)
  const database = inMemory ? openInMemory(settings) : openDatabase(settings)
  database.catch(() => undefined) // who waits is told
  return () => database
}
