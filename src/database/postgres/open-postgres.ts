import pg from 'pg'
import { isOnCitus } from '../citus/cluster.ts'
import { shareByWorker } from '../citus/share-by-worker.ts'
import { connectionsOf } from '../connections.ts'
import { type Database, UnusableDatabase } from '../database.ts'
import { startEarlyAnalyze } from '../early-analyze.ts'
import { createFunctions } from '../function-versions.ts'
import { followPartitions } from '../partitions/payment-partitions.ts'
import { queryBuilder, typeParsers } from '../query-builder.ts'
import { statements } from '../statements.ts'
import { LOCK_TIMEOUT_MS } from '../timeouts.ts'
import { watchAvailability } from './availability.ts'
import { errorText } from './error-text.ts'
import { hostUrls } from './hosts.ts'
import { listen } from './listen.ts'
import { hasOwnSession, noOwnSession } from './own-session.ts'
import { prepareSession } from './prepare-session.ts'
import { followPrimary, NoPrimary, type Primary } from './primary.ts'
import { followServerTime, SERVER_NOW, type ServerTime } from './server-time.ts'
import { shareCommits } from './shared-commits.ts'
import { urlConfig } from './url-config.ts'

const OLDEST_POSTGRES = 15

/** `statementTimeout` in milliseconds, 0: none. Throws `UnusableDatabase`. */
export async function openPostgres(
  connectionString: string,
  maxConnections: number,
  statementTimeout: number,
): Promise<Database> {
  refuseUnreadableUrl(connectionString)
  const availability = watchAvailability()
  const primary = await followPrimary(connectionString).catch((error) =>
    Promise.reject(
      error instanceof NoPrimary ? new UnusableDatabase(`DATABASE_URL: ${error.message}`) : error,
    ),
  )
  const pool = new pg.Pool({
    Client: class extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super({ ...config, ...urlConfig(primary.url) })
      }
    },
    max: maxConnections,
    types: typeParsers,
    // statements that share a commit are sent without waiting for each other's answers
    pipeline: true,
    stream: availability.socket,
    connectionTimeoutMillis: LOCK_TIMEOUT_MS,
    // minutes of idle connections cost nothing; reconnecting costs a payment 5 ms
    idleTimeoutMillis: 300_000,
    onConnect: prepareSession(statementTimeout),
  })
  // the pool replaces an idle connection that breaks; a statement on it has its own error
  pool.on('error', () => undefined)
  // without a listener, a connection that breaks between two statements of a transaction would end the
  // process; the next statement fails
  pool.on('connect', (client) => void client.on('error', () => undefined))
  const time = followServerTime()
  await checkServer(pool, time)
  await refuseSharedSessions(pool, primary)
  const changes = await listen(primary, pool, availability, time)
  const partitions = followPartitions(pool)
  await partitions.load()
  const early = startEarlyAnalyze(pool)
  const byWorker = (await isOnCitus(queryBuilder(pool))) ? shareByWorker(pool) : undefined
  const commits = byWorker ?? shareCommits(pool)
  return {
    db: queryBuilder(byWorker ?? pool),
    run: statements(pool, commits, partitions),
    partitions,
    createFunctions: () => createFunctions(pool, partitions),
    changes,
    connections: connectionsOf(pool, commits),
    isUnavailable: () => availability.isUnavailable,
    time,
    close: async () => {
      early.stop()
      partitions.stop()
      // the listener still finds out if the server does not answer a statement
      await pool.end()
      const ended = changes.close()
      // nor does such a server answer a goodbye
      availability.closeConnections()
      await ended
    },
  }
}

/** The URL may name files, such as `sslrootcert`, which are read for each connection. */
function refuseUnreadableUrl(connectionString: string): void {
  try {
    new pg.Client({ connectionString: hostUrls(connectionString)[0] })
  } catch (error) {
    throw new UnusableDatabase(`DATABASE_URL: ${errorText(error)}`)
  }
}

const selectServer = `
select current_setting('server_version') as version,
       current_schema() as schema,
       current_setting('search_path') as path,
       current_setting('server_encoding') as encoding,
       ${SERVER_NOW}`

interface ServerFacts {
  version: string
  /** The schema in which tables are looked for and made first; null: the role may use none of its path. */
  schema: string | null
  path: string
  encoding: string
  now: number
}

async function checkServer(pool: pg.Pool, time: ServerTime): Promise<void> {
  const refuse = (reason: string) => endRefused(pool, reason)
  // connects first, so that the time of connecting is not part of the measured round trip
  await pool
    .query('select')
    .catch((error) => refuse(`the database of DATABASE_URL cannot be used: ${errorText(error)}`))
  const asked = performance.now()
  const { rows } = await pool.query<ServerFacts>(selectServer)
  const answered = performance.now()
  const [server] = rows
  if (!server) return
  const { version, schema, path, encoding, now } = server
  if (Number.parseInt(version, 10) < OLDEST_POSTGRES)
    await refuse(
      `the database of DATABASE_URL is PostgreSQL ${version}; ${OLDEST_POSTGRES} or newer is needed`,
    )
  if (schema === null)
    await refuse(
      `the role of DATABASE_URL can use no schema of its search_path (${path}): reset it (alter role … reset search_path), or grant usage on the schema`,
    )
  // another one lacks characters, or takes each of their bytes for one
  if (encoding !== 'UTF8')
    await refuse(
      `the database of DATABASE_URL has the encoding ${encoding}, and texts of payments need UTF8: make one (create database … encoding 'UTF8' template template0)`,
    )
  time.adjust({ server: now, asked, answered })
}

async function refuseSharedSessions(pool: pg.Pool, primary: Primary): Promise<void> {
  const client = await pool.connect()
  const connect = () =>
    new pg.Client({
      connectionString: primary.url,
      connectionTimeoutMillis: LOCK_TIMEOUT_MS,
      query_timeout: LOCK_TIMEOUT_MS,
    })
  const problem = await hasOwnSession(client, connect)
    .then((isOwn) => (isOwn ? undefined : noOwnSession('DATABASE_URL')), noSecondConnection)
    .finally(() => client.release())
  if (problem !== undefined) await endRefused(pool, problem)
}

async function endRefused(pool: pg.Pool, reason: string): Promise<never> {
  await pool.end()
  throw new UnusableDatabase(reason)
}

const noSecondConnection = (error: unknown): string =>
  `a second connection to the database of DATABASE_URL is not answered (${errorText(error)}): default_pool_size of PgBouncer must have room for the connections of all processes (docs/operations/high-availability.md)`
