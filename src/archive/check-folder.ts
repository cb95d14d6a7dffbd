import { constants } from 'node:fs'
import files from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Statements } from '../database/statements.ts'
import { InvalidSetting, type Settings } from '../settings.ts'
import { readFiles } from './archived-file.store.ts'

/** A report over retired payments holds one, a retirement another one, and payments need the third. */
const LEAST_CONNECTIONS = 3

/**
 * Whether a worker can use `ARCHIVE_DIR`: the folder, and the temporary tables of its reports. Throws
 * `InvalidSetting`.
 */
export async function checkArchive(
  run: Statements,
  settings: Pick<Settings, 'archiveDir' | 'retentionMonths' | 'databaseUrl' | 'databasePool'>,
): Promise<void> {
  await checkArchiveFolder(run, settings)
  if (settings.archiveDir === undefined || settings.databaseUrl === undefined) return
  if (settings.databasePool < LEAST_CONNECTIONS)
    throw new InvalidSetting(
      `DATABASE_POOL_SIZE must be ${LEAST_CONNECTIONS} or more with ARCHIVE_DIR: a report over retired payments holds one connection, and a retirement another`,
    )
  const [refused] = await run<{ role: string; database: string }>(
    `select current_user as role,
            current_database() as database
      where not has_database_privilege(current_database(), 'temporary')`,
    [],
  )
  if (refused)
    throw new InvalidSetting(
      `ARCHIVE_DIR: the role ${refused.role} of DATABASE_URL may not create temporary tables, which reports over retired payments need: grant temporary on database ${refused.database} to ${refused.role}`,
    )
}

const READ = constants.R_OK | constants.X_OK
const WRITE = READ | constants.W_OK

/**
 * Whether the folder of `ARCHIVE_DIR` can be used by a process that makes reports, and that retires payments where
 * `RETENTION_MONTHS` is set. A folder that is missing is made by the first retirement. Throws `InvalidSetting`.
 */
export async function checkArchiveFolder(
  run: Statements,
  { archiveDir: folder, retentionMonths }: Pick<Settings, 'archiveDir' | 'retentionMonths'>,
): Promise<void> {
  if (folder === undefined) return
  const found = await files.stat(folder).catch((error) => refuseUnlessMissing(folder, error))
  if (found && !found.isDirectory()) throw new InvalidSetting(`ARCHIVE_DIR: ${folder} is no folder`)
  if (!found && (await readFiles(run)).length > 0)
    throw new InvalidSetting(
      `ARCHIVE_DIR: ${folder} does not exist, and the files of retired payments must be in it: is it mounted?`,
    )
  if (found) await requireAccess(folder, retentionMonths > 0 ? WRITE : READ)
  else await requireAccess(dirname(folder), WRITE)
}

function refuseUnlessMissing(folder: string, error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw new InvalidSetting(`ARCHIVE_DIR: ${folder}: ${error.message}`)
}

const accessProblems: Record<string, string> = {
  ENOENT: 'does not exist, and Railyard creates no folder but the last one',
  ENOTDIR: 'is no folder',
  EACCES: 'may not be read or written by the user of this process',
  EROFS: 'is on a file system that cannot be written',
}

async function requireAccess(folder: string, mode: number): Promise<void> {
  await files.access(folder, mode).catch((error: NodeJS.ErrnoException) => {
    throw new InvalidSetting(`ARCHIVE_DIR: ${folder} ${accessProblems[error.code ?? ''] ?? error.message}`)
  })
}
