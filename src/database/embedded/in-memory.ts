import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Settings } from '../../settings.ts'
import type { Database } from '../database.ts'
import { migrate, migrationFiles, migrationFolder } from '../migrate.ts'
import { openDatabase } from '../open-database.ts'
import { connect, openSession, type Session } from './embedded.ts'

/** Beside what V8 keeps of the code (main.js), and for the same reasons. */
const snapshotFolder = new URL('../../../node_modules/.cache/railyard/', import.meta.url)

/** Of databases that were closed, emptied: for who opens one in this thread next. That takes a tenth of what opening a session does. */
const emptySessions: Session[] = []

/** A database in memory with the schema in it, for tests; where the settings name a PostgreSQL, that one as it is. */
export async function openInMemory(settings: Settings): Promise<Database> {
  if (settings.databaseUrl) return openDatabase(settings)
  const session = emptySessions.pop() ?? (await openMigrated(settings))
  session.keepProcessAlive(true)
  const database = await openDatabase(settings, { session })
  const schema = await schemaOf(database)
  return {
    ...database,
    async close() {
      const isAsItWas = await schemaOf(database).then(
        (now) => now === schema,
        () => false,
      )
      await database.close()
      if (isAsItWas) await keepForReuse(session).catch(session.close)
      else await session.close()
    },
  }
}

/** What tells a schema that a test has changed: it is nobody else's. */
async function schemaOf({ run }: Database): Promise<string> {
  const [row] = await run<{ schema: string }>(
    `select concat_ws(' ', (select string_agg(name, ' ' order by name) from kysely_migration),
        (select string_agg(relname, ' ' order by relname) from pg_class where relnamespace = 'public'::regnamespace)) as schema`,
    [],
  )
  return row?.schema ?? ''
}

/** Tables that have rows lose them, those of the migrations aside. What else a session may have been left with ends as the next pool connects. */
const TRUNCATE_ALL = `
set session_replication_role = replica;
do $$
declare
  name text;
  has_rows boolean;
  written text[] := '{}';
begin
  for name in select format('%I', relname) from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'kysely%' loop
    execute format('select exists (select from %s)', name) into has_rows;
    if has_rows then written := written || name; end if;
  end loop;
  if written <> '{}' then execute format('truncate %s cascade', array_to_string(written, ', ')); end if;
end $$`

async function keepForReuse(session: Session): Promise<void> {
  const pool = connect(session)
  await pool.query(TRUNCATE_ALL).finally(() => pool.end())
  session.keepProcessAlive(false)
  emptySessions.push(session)
}

/**
 * The migrations and the template, which has to be unpacked, are most of what a start in memory takes, so the first on a machine leaves a snapshot of 12 MB
 * for the others. Where none can be written each start does the work again.
 */
async function openMigrated(settings: Settings): Promise<Session> {
  const file = fileURLToPath(new URL(await snapshotName(), snapshotFolder))
  const kept = await openSnapshot(file)
  if (kept) return kept
  const session = await openSession({})
  const database = await openDatabase(settings, { session })
  await migrate(database)
  await database.close()
  await keepSnapshot(session, file).catch(() => undefined)
  return session
}

/** A snapshot that no database can be opened from, for whatever became of it, is erased, so that another takes its place. Undefined: there is none to open. */
export async function openSnapshot(file: string): Promise<Session | undefined> {
  if (!(await exists(file))) return undefined
  try {
    return await openSession({ snapshot: file })
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
async function keepSnapshot({ dump }: Session, file: string): Promise<void> {
  await mkdir(snapshotFolder, { recursive: true })
  const partial = `${file}.${process.pid}-${performance.now()}`
  await writeFile(partial, await dump())
  await rename(partial, file)
  const others = (await readdir(snapshotFolder)).filter((name) => name.startsWith(SNAPSHOT) && name.endsWith('.tar') && !file.endsWith(name))
  for (const name of others) await rm(new URL(name, snapshotFolder), { force: true })
}
