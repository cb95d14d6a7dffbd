import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Settings } from '../settings.ts'
import { type Database, migrate, migrationFiles, migrationFolder, openDatabase } from './database.ts'

/** Beside what V8 keeps of the code (main.js), and for the same reasons. */
const cache = new URL('../../node_modules/.cache/railyard/', import.meta.url)

/**
 * A database in memory with the schema in it, for tests; where the settings name a PostgreSQL, that one as it is. The migrations and the template,
 * which has to be unpacked, are most of what a start in memory takes, so the first on a machine leaves a snapshot of 12 MB for the others. Where
 * none can be written each start does the work again.
 */
export async function openInMemory(settings: Settings): Promise<Database> {
  if (settings.databaseUrl) return openDatabase(settings)
  const file = fileURLToPath(new URL(await snapshotName(), cache))
  const kept = await openSnapshot(settings, file)
  if (kept) return kept
  const database = await openDatabase(settings, { inMemory: true })
  await migrate(database)
  await keepSnapshot(database, file).catch(() => undefined)
  return database
}

/** A snapshot that no database can be opened from, for whatever became of it, is erased, so that another takes its place. Undefined: there is none to open. */
export async function openSnapshot(settings: Settings, file: string): Promise<Database | undefined> {
  if (!(await exists(file))) return undefined
  try {
    return await openDatabase(settings, { inMemory: true, snapshot: file })
  } catch {
    await rm(file, { force: true })
    return undefined
  }
}

const SNAPSHOT = 'migrated-'

/** Another template, or other migrations, make another snapshot. */
async function snapshotName(): Promise<string> {
  const hash = createHash('sha256')
  const parts = [new URL('./template.tgz', import.meta.url), ...(await migrationFiles()).map((file) => new URL(file, migrationFolder))]
  for (const part of await Promise.all(parts.map((url) => readFile(url)))) hash.update(createHash('sha256').update(part).digest())
  return `${SNAPSHOT}${hash.digest('hex').slice(0, 16)}.tar`
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

/** Renamed into its place when it is whole: several processes may do so at once. Those of earlier migrations go. */
async function keepSnapshot({ dump }: Database, file: string): Promise<void> {
  if (!dump) return
  await mkdir(cache, { recursive: true })
  const partial = `${file}.${process.pid}-${performance.now()}`
  await writeFile(partial, await dump())
  await rename(partial, file)
  const others = (await readdir(cache)).filter((name) => name.startsWith(SNAPSHOT) && name.endsWith('.tar') && !file.endsWith(name))
  for (const name of others) await rm(new URL(name, cache), { force: true })
}
