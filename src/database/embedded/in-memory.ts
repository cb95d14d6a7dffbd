import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Settings } from '../../settings.ts'
import type { Database } from '../database.ts'
import { migrate, migrationFiles, migrationFolder } from '../migrate.ts'
import { openDatabase } from '../open-database.ts'
import { connect, openSession, type Session } from './embedded.ts'

/** Beside V8's cache of compiled code (main.js), for the same reasons. */
const snapshotFolder = new URL('../../../node_modules/.cache/railyard/', import.meta.url)

/**
 * Emptied sessions of closed databases, for the next one that this thread opens: that takes a tenth of the
 * time of a new session.
 */
const emptySessions: Session[] = []

/** For tests: a database in memory that has the schema, or the PostgreSQL that the settings name as it is. */
export async function openInMemory(settings: Settings): Promise<Database> {
  if (settings.databaseUrl) return openDatabase(settings)
  const session = emptySessions.pop() ?? (await openMigrated(settings))
  session.keepProcessAlive(true)
  const database = await openDatabase(settings, { session })
  const schema = await schemaOf(database)
  const alone = <T>(work: () => Promise<T>) => database.db.connection().execute(work)
  return {
    ...database,
    rows: {
      read: () => alone(session.readRows),
      replace: (rows) => alone(() => session.replaceRows(rows)),
    },
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

/** Identifies the schema: a session whose schema a test has changed is not reused. */
async function schemaOf({ run }: Database): Promise<string> {
  const [row] = await run<{ schema: string }>(
    `select concat_ws(' ', (select string_agg(name, ' ' order by name) from kysely_migration),
        (select string_agg(relname, ' ' order by relname) from pg_class where relnamespace = 'public'::regnamespace)) as schema`,
    [],
  )
  return row?.schema ?? ''
}

/**
 * Empties all tables but those of the migrations. Other state of the session ends when the next pool
 * connects.
 */
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
 * Unpacking the template and running the migrations are most of a start in memory, so the first start on a
 * machine stores a snapshot of 12 MB for the next ones. If none can be written, each start does the work
 * again.
 */
async function openMigrated(settings: Settings): Promise<Session> {
  const file = fileURLToPath(new URL(await snapshotName(), snapshotFolder))
  const fromSnapshot = await openSnapshot(file)
  if (fromSnapshot) return fromSnapshot
  const session = await openSession({})
  const database = await openDatabase(settings, { session })
  await migrate(database)
  await database.close()
  await storeSnapshot(session, file).catch(() => undefined)
  return session
}

/**
 * Opens a snapshot. Undefined: there is none, or it was damaged; a damaged one is deleted, so that a new one
 * replaces it.
 */
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

/** The name depends on the template and the migrations. */
async function snapshotName(): Promise<string> {
  const hash = createHash('sha256')
  const parts = [
    new URL('./template.tgz', import.meta.url),
    ...(await migrationFiles()).map((file) => new URL(file, migrationFolder)),
  ]
  for (const part of await Promise.all(parts.map((url) => readFile(url))))
    hash.update(createHash('sha256').update(part).digest())
  return `${SNAPSHOT}${hash.digest('hex').slice(0, 16)}.tar`
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

/**
 * Writes the snapshot under another name and renames it, because several processes may do so at once. Deletes
 * the snapshots of earlier migrations.
 */
async function storeSnapshot({ dump }: Session, file: string): Promise<void> {
  await mkdir(snapshotFolder, { recursive: true })
  const partial = `${file}.${process.pid}-${performance.now()}`
  await writeFile(partial, await dump())
  await rename(partial, file)
  const others = (await readdir(snapshotFolder)).filter(
    (name) => name.startsWith(SNAPSHOT) && name.endsWith('.tar') && !file.endsWith(name),
  )
  for (const name of others) await rm(new URL(name, snapshotFolder), { force: true })
}
