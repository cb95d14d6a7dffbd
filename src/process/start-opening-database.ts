import { prepareDataDir } from '../base/data-dir.ts'
import { refuseRetentionOnCitus } from '../database/citus/cluster.ts'
import type { Database } from '../database/database.ts'
import { openInMemory } from '../database/embedded/in-memory.ts'
import { openDatabase } from '../database/open-database.ts'
import { refuseUnsafeServer } from '../database/postgres/server-durability.ts'
import type { Settings } from '../settings.ts'
import { checkProcessRole } from './process-role.ts'

/**
 * The first step of a start. It needs few modules, so that the others can be loaded meanwhile. Returns a
 * function that waits for the database, whose schema `migrate` brings up to date later. The embedded database
 * already opens in a thread of its own, which loading modules would otherwise delay. Throws `InvalidSetting`;
 * the function throws that, `FolderInUse` and `UnusableDatabase`.
 */
export async function startOpeningDatabase(
  settings: Settings,
  { inMemory = false } = {},
): Promise<() => Promise<Database>> {
  checkProcessRole(settings)
  await prepareDataDir(settings)
  const open = async () =>
    inMemory
      ? openInMemory(settings)
      : refuseRetentionOnCitus(await refuseUnsafeServer(await openDatabase(settings), settings), settings)
  // loading modules blocks the event loop: PostgreSQL's answer to a connection would be read too late, and
  // would count as none
  if (settings.databaseUrl) return open
  const database = open()
  database.catch(() => undefined) // reported by the function
  return () => database
}
