import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import pg from 'pg'
import { isOnCitus } from './citus/cluster.ts'
import { prepareCluster } from './citus/place-tables.ts'
import { prepareWorkerSessions } from './citus/worker-sessions.ts'
import { type Database, UnusableDatabase } from './database.ts'
import { DEADLOCK, INSUFFICIENT_PRIVILEGE, LOCK_NOT_AVAILABLE } from './error-codes.ts'
import { raisePositions } from './logs/event-log.ts'
import type { Tables } from './tables.ts'
import { onConnectionWithout } from './without-timeout.ts'

/**
 * PostgreSQL lets every statement on a table wait behind a migration that waits for the table, so a migration waits so
 * long only: longer than PostgreSQL takes to end an autovacuum that is in its way (`deadlock_timeout`).
 */
const LOCK_TIMEOUT = '2s'
/** Statements pass for so long before the migrations begin again. */
const RETRY_MS = 5_000
const lockErrors = new Set<string | undefined>([LOCK_NOT_AVAILABLE, DEADLOCK])

export const migrationFolder = new URL('./migrations/', import.meta.url)

/** The names of the migrations' files, in the order in which they run. */
export const migrationFiles = async (): Promise<string[]> =>
  (await readdir(migrationFolder)).filter((file) => file.endsWith('.sql')).sort()

/** Is told a line for the operator. */
type Warn = (line: string) => void

const migrationName = (file: string): string => file.replace('.sql', '')

/** The last migration of this version. */
export const newestMigration = async (): Promise<string> =>
  migrationName((await migrationFiles()).at(-1) ?? '')

/** A statement: text up to a semicolon outside of comments and quotes. */
const statement = /(?:--[^\n]*|'[^']*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|[^;])+/g

/** The statements of a migration. */
export const statementsOf = (text: string): string[] =>
  (text.match(statement) ?? []).filter((part) => part.replaceAll(/--[^\n]*/g, '').trim() !== '')

/**
 * Each file of `migrations/` is one migration, in the order of their names; a released migration is never
 * changed. On Citus its statements are sent one by one: the coordinator sends the text of a change of a table to the
 * workers as a prepared statement, which is one statement.
 */
async function readMigrations(onCitus: boolean): Promise<Record<string, Migration>> {
  const files = await migrationFiles()
  const entries = await Promise.all(
    files.map(async (file): Promise<[string, Migration]> => {
      const text = await readFile(new URL(file, migrationFolder), 'utf8')
      const parts = onCitus ? statementsOf(text) : [text]
      const up = async (db: Kysely<unknown>) => {
        await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(db)
        for (const part of parts) await sql.raw(part).execute(db)
      }
      return [migrationName(file), { up }]
    }),
  )
  return Object.fromEntries(entries)
}

/**
 * The migrations of a newer version that ran here. A newer version keeps what the version before it uses, so
 * a process of this version starts on its schema: while processes are replaced, or to go back.
 */
async function migrationsOfNewer(
  db: Kysely<Tables>,
  own: Record<string, Migration>,
): Promise<Record<string, Migration>> {
  const names = await migrationsThatRan(db)
  return Object.fromEntries(
    names.filter((name) => !(name in own)).map((name) => [name, { up: async () => undefined }]),
  )
}

async function migrationsThatRan(db: Kysely<Tables>): Promise<string[]> {
  const { rows: tables } = await sql`select 1 where to_regclass('kysely_migration') is not null`.execute(db)
  if (tables.length === 0) return []
  return (await sql<{ name: string }>`select name from kysely_migration`.execute(db)).rows.map(
    ({ name }) => name,
  )
}

/** Whether no version of Railyard has made its tables in the database. */
export const isNew = async (db: Kysely<Tables>): Promise<boolean> =>
  (await migrationsThatRan(db)).length === 0

async function isMigrated(db: Kysely<Tables>): Promise<boolean> {
  const ran = new Set(await migrationsThatRan(db))
  return (await migrationFiles()).every((file) => ran.has(migrationName(file)))
}

/**
 * Brings the schema up to date under a lock, so that processes may start together, places new tables on the nodes
 * of Citus, if the database is on it, and creates the functions of this version. `warn` is told for which sessions
 * the migrations wait. Returns the names of the migrations that ran. Throws `UnusableDatabase`.
 */
export async function migrate(
  { db, run, createFunctions }: Pick<Database, 'db' | 'run' | 'createFunctions'>,
  warn: Warn = () => undefined,
): Promise<string[]> {
  const onCitus = await isOnCitus(db)
  if (onCitus) await prepareWorkerSessions(db)
  // the migrator looks at every column of every table first, which takes the embedded database a third of a
  // second
  const ran = (await isMigrated(db))
    ? []
    : await changeSchema(db, (connection) => runMigrations(connection, onCitus, warn))
  if (onCitus) await changeSchema(db, prepareCluster)
  if (!(await createFunctions()))
    throw new UnusableDatabase(
      'the database lacks functions of this version, and the role of DATABASE_URL may not create them: run railyard migrate with the role that owns the schema',
    )
  // on Citus positions are times, and asking all workers would fail while one does not answer
  if (!onCitus) await raisePositions(run)
  return ran
}

/**
 * Calls `work` with a connection of its own without time limits: an index on a large table takes longer than a
 * payment's statement may, and so does waiting for the process that makes it. Throws `UnusableDatabase` if this role
 * may not change the schema.
 */
const changeSchema = <T>(db: Kysely<Tables>, work: (connection: Kysely<Tables>) => Promise<T>): Promise<T> =>
  onConnectionWithout(['statement_timeout', 'lock_timeout'], db, work).catch((error) => {
    if (error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE)
      throw new UnusableDatabase(
        'the schema is not that of this version, and the role of DATABASE_URL may not change it: run railyard migrate with the role that owns it',
      )
    throw error
  })

/**
 * All migrations are one database transaction, which begins again for as long as another session keeps it from a
 * lock: a backup or a report ends, and the operator can end it or this process before. The operator is told at the
 * first try, and after twice as many each time: other sessions may be in the way by then.
 */
async function runMigrations(db: Kysely<Tables>, onCitus: boolean, warn: Warn): Promise<string[]> {
  const own = await readMigrations(onCitus)
  const migrations = { ...own, ...(await migrationsOfNewer(db, own)) }
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  let tellAt = 1
  for (let tries = 1; ; tries++) {
    const { error, results } = await migrator.migrateToLatest()
    if (!error) return (results ?? []).map((result) => result.migrationName)
    if (!(error instanceof pg.DatabaseError && lockErrors.has(error.code))) throw error
    if (tries === tellAt) {
      tellAt *= 2
      warn(`the migrations wait until other sessions no longer use the tables: ${await lockHolders(db)}`)
    }
    await wait(RETRY_MS)
  }
}

/** The sessions that may have kept a migration waiting: their transactions are older than its wait. */
async function lockHolders(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ holder: string }>`
    select format('pid %s (%s)', pid, concat_ws(', ', nullif(application_name, ''), usename, 'since ' || xact_start))
             as holder
      from pg_stat_activity
     where datname = current_database()
       and pid <> pg_backend_pid()
       -- null: this role may not read it
       and (xact_start is null or xact_start < now() - ${LOCK_TIMEOUT}::interval)
       and exists (select from pg_locks
                     join pg_class on pg_class.oid = relation
                    where pg_locks.pid = pg_stat_activity.pid
                      and granted
                      and relnamespace = current_schema()::regnamespace)
     order by xact_start, pid`.execute(db)
  return rows.map(({ holder }) => holder).join('; ') || 'they are not known'
}
