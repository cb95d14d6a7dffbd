import { prepareDataDir } from './data-dir.ts'
import { type Database, openDatabase } from './database/database.ts'
import { openInMemory } from './database/in-memory.ts'
import { refuseRole } from './role.ts'
import type { Settings } from './settings.ts'

/**
 * What a start begins with: the folder, and the database, whose schema is brought up to date later. It needs next to nothing of what serves requests, so that can be loaded
 * meanwhile, which takes as long as the embedded database needs to open. Throws `InvalidSetting`, `FolderInUse` and `UnusableDatabase`.
 */
export async function openInstance(settings: Settings, { inMemory = false } = {}): Promise<Database> {
  refuseRole(settings)
  await prepareDataDir(settings)
  return inMemory ? openInMemory(settings) : openDatabase(settings)
}
