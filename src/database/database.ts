import { readdir, readFile } from 'node:fs/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import pg from 'pg'
import type { Settings } from '../settings.ts'
import { type Changes, listen, localChanges } from './changes.ts'
import { connect, type Embedded, openEmbedded, type Session } from './embedded/embedded.ts'
import { startEarlyAnalyze, startVacuum } from './embedded/maintenance.ts'
import { raisePositions } from './logs/event-log.ts'
import { watchAvailability } from './postgres/availability.ts'
import { followServerTime, SERVER_NOW, type ServerTime } from './postgres/server-time.ts'
import { type SharedCommits, shareCommits } from './postgres/shared-commits.ts'
import { type Statements, statements } from './statements.ts'
import type { Tables } from './tables.ts'
import { timestamp } from './timestamp.ts'

export interface Database {
  /** Composed queries. */
  db: Kysely<Tables>
  /** Hand-written SQL, prepared. */
  run: Statements
  /** Tells every process that something which caches may hold has changed. */
  changes: Changes
  connections(): Connections
  /** True while the database answers nobody. */
  isUnavailable(): boolean
  /** Of the server, which its processes share; the embedded database has the machine's. */
  time: Pick<ServerTime, 'now' | 'skew'>
  close(): Promise<void>
}

/** `waiting`: statements that wait for a connection. */
export interface Connections {
  total: number
  idle: number
  waiting: number
}

const connectionsOf = (pool: pg.Pool, shared: SharedCommits) => (): Connections => ({
  total: pool.totalCount,
  idle: pool.idleCount,
  waiting: pool.waitingCount + shared.waiting,
})

const { builtins } = pg.types

/** Amounts fit a double exactly (they add up far below 2^53); timestamps stay text, so that no microsecond is lost on the way out. */
const columnParsers: Partial<Record<number, (text: string) => unknown>> = {
  [builtins.INT8]: Number,
  [builtins.TIMESTAMPTZ]: timestamp,
}

const typeParsers = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => columnParsers[oid] ?? pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig

/** How long a statement may take: longer than any of a request's or a job's does in good health. */
const STATEMENT_TIMEOUT_MS = 30_000
/** What was dated longer ago can be seen. A change is dated before its statement, and seen when it is committed: a statement may take 30 s, and waits for a connection before. */
export const VISIBLE_AFTER_MS = 60_000
/** How long one waits for a connection that another request has, and a statement for rows that another has locked: in good health, milliseconds. */
const LOCK_TIMEOUT_MS = 2_500

interface OpenOptions {
  /** Tests: this one, in memory, instead of the one that the settings name. Closing the database leaves it open. */
  session?: Session
  /** Statements may take as long as they like. */
  withoutTimeout?: boolean
}

/** Opens PostgreSQL or the embedded database. The schema is brought up by `migrate`. */
export async function openDatabase(settings: Settings, { session, withoutTimeout = false }: OpenOptions = {}): Promise<Database> {
  if (session) return embeddedDatabase(keptOpen(session))
  if (!settings.databaseUrl) return embeddedDatabase(await openEmbedded(settings.dataDir, typeParsers))
  return openPostgres(settings.databaseUrl, settings.databasePool, withoutTimeout ? 0 : STATEMENT_TIMEOUT_MS)
}

async function openPostgres(connectionString: string, max: number, statementTimeout: number): Promise<Database> {
  const presence = watchAvailability()
  const pool = new pg.Pool({
    connectionString,
    max,
    types: typeParsers,
    // statements that share a commit go over without waiting for each other's answers
    pipeline: true,
    stream: presence.socket,
    connectionTimeoutMillis: LOCK_TIMEOUT_MS,
    // minutes of idle connections cost nothing; reconnecting costs a payment 5 ms
    idleTimeoutMillis: 300_000,
    // PostgreSQL compiles a statement by its estimate, and that of a list by periods (98,966) is just short of 100,000; it runs for milliseconds
    options: `${DURABLE} -c timezone=UTC -c jit=off -c statement_timeout=${statementTimeout} -c lock_timeout=${statementTimeout && LOCK_TIMEOUT_MS} -c idle_in_transaction_session_timeout=30000`,
  })
  // a broken idle connection is replaced; whoever used it has its own error
  pool.on('error', () => undefined)
  // one that breaks between two statements of a transaction has nobody else who listens, and would end the process; the next statement fails
  pool.on('connect', (client) => void client.on('error', () => undefined))
  const time = followServerTime()
  await checkServer(pool, time)
  const changes = await listen(connectionString, pool, presence, time)
  const early = startEarlyAnalyze(pool)
  const shared = shareCommits(pool)
  return {
    db: kysely(pool),
    run: statements(pool, shared),
    changes,
    connections: connectionsOf(pool, shared),
    isUnavailable: () => presence.isUnavailable,
    time,
    close: async () => {
      early.stop()
      await changes.close()
      await pool.end()
    },
  }
}

/** The database cannot be used; the message says why without the URL, which holds a password. */
export class UnusableDatabase extends Error {}

/** Each connection sets these for itself, whatever the role or the database is set to: a 2xx is durable, and statements are written for this isolation. */
const DURABLE = '-c synchronous_commit=on -c default_transaction_isolation=read\\ committed'

/** What a connection really has: the URL's own options come after ours, and a proxy may not pass ours on. */
const selectServerSettings = `
select current_setting('server_version') as version,
       current_setting('synchronous_commit') as "synchronousCommit",
       current_setting('default_transaction_isolation') as isolation,
       ${SERVER_NOW}`

interface ServerSettings {
  version: string
  synchronousCommit: string
  isolation: string
  now: number
}

async function checkServer(pool: pg.Pool, time: ServerTime): Promise<void> {
  const refuse = async (reason: string): Promise<never> => {
    await pool.end()
    throw new UnusableDatabase(reason)
  }
  // connects first, so that the time of connecting is not part of the measured round trip
  await pool
    .query('select')
    .catch((error: NodeJS.ErrnoException) => refuse(`the database of DATABASE_URL cannot be used: ${error.message || error.code}`))
  const asked = performance.now()
  const { rows } = await pool.query<ServerSettings>(selectServerSettings)
  const answered = performance.now()
  const [server] = rows
  if (!server) return
  const { version, synchronousCommit, isolation, now } = server
  if (Number.parseInt(version, 10) < OLDEST_POSTGRES)
    await refuse(`the database of DATABASE_URL is PostgreSQL ${version}; ${OLDEST_POSTGRES} or newer is needed`)
  const cause = 'set by the options of the URL, or because a proxy does not pass on the options of Railyard'
  if (synchronousCommit === 'off')
    await refuse(`connections of DATABASE_URL have synchronous_commit=off, ${cause}: a payment that was answered could be lost`)
  if (isolation !== 'read committed')
    await refuse(`connections of DATABASE_URL have default_transaction_isolation=${isolation}, ${cause}; "read committed" is needed`)
  time.adjust({ server: now, asked, answered })
}

const OLDEST_POSTGRES = 15

/** A session that somebody else closes. */
function keptOpen(session: Session): Embedded {
  const pool = connect(session, typeParsers)
  return { pool, close: () => pool.end() }
}

function embeddedDatabase({ pool, close }: Embedded): Database {
  const maintenance = [startVacuum(pool), startEarlyAnalyze(pool)]
  const shared = shareCommits(pool)
  return {
    db: kysely(pool),
    run: statements(pool, shared),
    changes: localChanges(),
    connections: connectionsOf(pool, shared),
    isUnavailable: () => false,
    time: { now: () => Date.now(), skew: () => 0 },
    close: async () => {
      for (const { stop } of maintenance) stop()
      await close()
    },
  }
}

/**
 * Composed queries stay unnamed: they are lists whose filters differ from call to call, and a plan made for the values at hand beats one
 * that must suit all (a generic plan for `status = any($1)` reads the whole account).
 */
const kysely = (pool: pg.Pool) => new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })

/** Where the migrations are. */
export const migrationFolder = new URL('./migrations/', import.meta.url)

/** The names of the migrations' files, in their order. */
export const migrationFiles = async (): Promise<string[]> => (await readdir(migrationFolder)).filter((file) => file.endsWith('.sql')).sort()

const migrationName = (file: string): string => file.replace('.sql', '')

/** The last migration that this version knows. */
export const newestMigration = async (): Promise<string> => migrationName((await migrationFiles()).at(-1) ?? '')

/** Each file of `migrations/` is one migration, in the order of their names; what has run is never changed. */
async function readMigrations(): Promise<Record<string, Migration>> {
  const files = await migrationFiles()
  const entries = await Promise.all(
    files.map(async (file): Promise<[string, Migration]> => {
      const text = await readFile(new URL(file, migrationFolder), 'utf8')
      return [migrationName(file), { up: async (db) => void (await sql.raw(text).execute(db)) }]
    }),
  )
  return Object.fromEntries(entries)
}

/**
 * Those that a newer version has run here. It leaves the version before what it uses, so a process of this one starts on its schema: while processes are replaced, or to go back.
 */
async function migrationsOfNewer(db: Kysely<Tables>, known: Record<string, Migration>): Promise<Record<string, Migration>> {
  const names = await migrationsThatRan(db)
  return Object.fromEntries(names.filter((name) => !(name in known)).map((name) => [name, { up: async () => undefined }]))
}

async function migrationsThatRan(db: Kysely<Tables>): Promise<string[]> {
  const { rows: there } = await sql`select 1 where to_regclass('kysely_migration') is not null`.execute(db)
  if (there.length === 0) return []
  return (await sql<{ name: string }>`select name from kysely_migration`.execute(db)).rows.map(({ name }) => name)
}

/** Whether there is nothing to run. Migrations are written down in the transaction that they run in. */
async function isMigrated(db: Kysely<Tables>): Promise<boolean> {
  const ran = new Set(await migrationsThatRan(db))
  return (await migrationFiles()).every((file) => ran.has(migrationName(file)))
}

/** Brings the schema up to date under a lock, so that processes may start together. Returns what ran. */
export async function migrate({ db, run }: Pick<Database, 'db' | 'run'>): Promise<string[]> {
  // the migrator looks at every column of every table first, which takes the embedded database a third of a second
  const ran = (await isMigrated(db)) ? [] : await runMigrations(db)
  await raisePositions(run)
  return ran
}

const INSUFFICIENT_PRIVILEGE = '42501'

async function runMigrations(db: Kysely<Tables>): Promise<string[]> {
  const { error, results } = await db.connection().execute(async (connection) => {
    // an index on a large table takes longer than a payment's statement may, and so does waiting for the process that makes it
    await sql`set statement_timeout = 0`.execute(connection)
    await sql`set lock_timeout = 0`.execute(connection)
    const known = await readMigrations()
    const migrations = { ...known, ...(await migrationsOfNewer(connection, known)) }
    const migrated = await new Migrator({ db: connection, provider: { getMigrations: async () => migrations } }).migrateToLatest()
    await sql`reset statement_timeout`.execute(connection)
    await sql`reset lock_timeout`.execute(connection)
    return migrated
  })
  if (error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE)
    throw new UnusableDatabase(
      'the schema is not that of this version, and the role of DATABASE_URL may not change it: run railyard migrate with the role that owns it',
    )
  if (error) throw error
  return (results ?? []).map((result) => result.migrationName)
}
