import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { syncFolder } from '../../base/data-dir.ts'
import type { Settings } from '../../settings.ts'
import { lockFolder } from '../embedded/folder-lock.ts'
import { openDatabase } from '../open-database.ts'
import { dumpPostgres, restorePostgres } from './postgres-tools.ts'
import { BrokenArchive, packFolder, unpackFolder } from './tar.ts'

/** A backup cannot be made or restored; the message is for the operator. */
export class BackupRefused extends Error {}

const REMEDY = 'stop that process first'

/**
 * Writes the whole database to a file of mode 0600. PostgreSQL: as `pg_dump --format=custom`, one snapshot
 * while processes serve. Embedded: as a compressed archive of its folder, which no process may use meanwhile.
 * The file contains card numbers and other secrets sealed, as they are stored, and no key.
 */
export async function backUp(settings: Settings, file: string): Promise<void> {
  const left = () => new BackupRefused(`${file} exists already and is left as it is`)
  if (existsSync(file)) throw left()
  await removeAbandoned(file)
  // of this run alone: two at once must not write into one file
  const partial = `${partialOf(file)}${randomUUID()}`
  try {
    await writeFile(partial, '', { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      throw new BackupRefused(`${file} cannot be written: ${error.message}`)
    })
    if (settings.databaseUrl) await dumpInto(settings.databaseUrl, partial)
    else await archiveInto(settings, partial)
    // replaces no file, as a renaming would; some file systems have no links
    await link(partial, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST' || existsSync(file)) throw left()
      return rename(partial, file)
    })
    await rm(partial, { force: true })
    await syncFolder(dirname(file))
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

const partialOf = (file: string): string => `${file}.partial-`
/** A backup writes without a pause, except for a lock that it waits for (`--lock-wait-timeout`). */
const ABANDONED_MS = 3_600_000

/** Removes what backups into this file have left that were killed. */
async function removeAbandoned(file: string): Promise<void> {
  const folder = dirname(file)
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((name) => name.startsWith(partialOf(basename(file))))) {
    // another backup may remove it meanwhile
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found && found.mtimeMs < Date.now() - ABANDONED_MS) await rm(join(folder, name), { force: true })
  }
}

async function dumpInto(url: string, file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await dumpPostgres(url, handle.fd)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function archiveInto({ dataDir }: Settings, file: string): Promise<void> {
  const folder = join(dataDir, 'database')
  if (!existsSync(join(folder, 'PG_VERSION')))
    throw new BackupRefused(`there is no database in DATA_DIR, ${dataDir}`)
  const lock = lockFolder(dataDir, 'a backup', REMEDY)
  const target = createWriteStream(file, { flags: 'r+', flush: true })
  await pipeline(packFolder(folder, excludedFiles), createGzip(), target).finally(lock.release)
}

/** The file that names the running process, which the copy does not have. */
const excludedFiles = new Set(['postmaster.pid', 'postmaster.opts'])

/**
 * Restores a backup into the database of the settings. Throws `BackupRefused` if the database is not empty; a
 * failure leaves it empty.
 */
export async function restore(settings: Settings, file: string): Promise<void> {
  const isPostgres = await isPostgresArchive(file)
  if (isPostgres && !settings.databaseUrl)
    throw new BackupRefused(`${file} is a backup of PostgreSQL: set DATABASE_URL to an empty database`)
  if (!isPostgres && settings.databaseUrl)
    throw new BackupRefused(
      `${file} is a backup of the embedded database: unset DATABASE_URL, and set DATA_DIR`,
    )
  if (settings.databaseUrl) {
    await refuseTables(settings)
    await restorePostgres(settings.databaseUrl, file)
  } else await restoreEmbedded(settings, file)
}

/** True for PostgreSQL's format, false for a compressed archive. */
async function isPostgresArchive(file: string): Promise<boolean> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new BackupRefused(`${file} cannot be read: ${error.message}`)
  })
  const { buffer } = await handle.read(Buffer.alloc(5), 0, 5, 0).finally(() => handle.close())
  if (buffer.toString('latin1') === 'PGDMP') return true
  if (buffer.readUInt16BE(0) === 0x1f8b) return false
  throw new BackupRefused(`${file} is not a backup`)
}

/** Tables of an extension, such as Citus', are there before a backup is restored. */
async function refuseTables(settings: Settings): Promise<void> {
  const { run, close } = await openDatabase(settings)
  const tables = await run<{ name: string }>(
    `select c.relname as name
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f')
        and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
        and not exists (select from pg_depend d
                         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      limit 1`,
    [],
  ).finally(close)
  if (tables.length > 0)
    throw new BackupRefused(
      'the database of DATABASE_URL is not empty: a backup is restored into a new one (createdb)',
    )
}

async function restoreEmbedded({ dataDir }: Settings, file: string): Promise<void> {
  const lock = lockFolder(dataDir, 'a restore', REMEDY)
  const folder = join(dataDir, 'database')
  const partial = `${folder}.partial`
  try {
    if (existsSync(folder) && (await readdir(folder)).length > 0)
      throw new BackupRefused(
        `there is a database in ${folder} already: a backup is restored into a DATA_DIR without one`,
      )
    await rm(partial, { recursive: true, force: true })
    await mkdir(partial, { mode: 0o700 })
    await pipeline(createReadStream(file), createGunzip(), (archive: AsyncIterable<Buffer>) =>
      unpackFolder(archive, partial),
    )
    await rename(partial, folder)
    await syncFolder(dataDir)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw isBroken(error) ? new BackupRefused(`${file} cannot be restored: ${error.message}`) : error
  } finally {
    lock.release()
  }
}

const isBroken = (error: unknown): error is Error =>
  error instanceof BrokenArchive ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
