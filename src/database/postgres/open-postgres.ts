import pg from 'pg'
import { listen } from '../changes.ts'
import { connectionsOf } from '../connections.ts'
import { type Database, UnusableDatabase } from '../database.ts'
import { startEarlyAnalyze } from '../embedded/maintenance.ts'
import { queryBuilder, typeParsers } from '../query-builder.ts'
import { statements } from '../statements.ts'
import { LOCK_TIMEOUT_MS } from '../timeouts.ts'
import { watchAvailability } from './availability.ts'
import { followServerTime, SERVER_NOW, type ServerTime } from './server-time.ts'
import { shareCommits } from './shared-commits.ts'

const OLDEST_POSTGRES = 15

/**
 * Each connection sets these for itself, whatever the role or the database is set to: a 2xx is durable, and
 * statements are written for this isolation.
 */
const DURABLE = '-c synchronous_commit=on -c default_transaction_isolation=read\\ committed'

/** `statementTimeout` in milliseconds, 0: none. Throws `UnusableDatabase`. */
export async function openPostgres(
  connectionString: string,
  maxConnections: number,
  statementTimeout: number,
): Promise<Database> {
  const availability = watchAvailability()
  const pool = new pg.Pool({
    connectionString,
    max: maxConnections,
    types: typeParsers,
    // statements that share a commit are sent without waiting for each other's answers
    pipeline: true,
    stream: availability.socket,
    connectionTimeoutMillis: LOCK_TIMEOUT_MS,
    // minutes of idle connections cost nothing; reconnecting costs a payment 5 ms
    idleTimeoutMillis: 300_000,
    // jit=off: PostgreSQL compiles a statement by its estimate, and that of a list by periods (98,966) is
    // just short of 100,000; it runs for milliseconds
    options: `${DURABLE} -c timezone=UTC -c jit=off -c statement_timeout=${statementTimeout} -c lock_timeout=${statementTimeout && LOCK_TIMEOUT_MS} -c idle_in_transaction_session_timeout=30000`,
  })
  // the pool replaces an idle connection that breaks; a statement on it has its own error
  pool.on('error', () => undefined)
  // without a listener, a connection that breaks between two statements of a transaction would end the
  // process; the next statement fails
  pool.on('connect', (client) => void client.on('error', () => undefined))
  const time = followServerTime()
  await checkServer(pool, time)
  const changes = await listen(connectionString, pool, availability, time)
  const early = startEarlyAnalyze(pool)
  const shared = shareCommits(pool)
  return {
    db: queryBuilder(pool),
    run: statements(pool, shared),
    changes,
    connections: connectionsOf(pool, shared),
    isUnavailable: () => availability.isUnavailable,
    time,
    close: async () => {
      early.stop()
      await changes.close()
      await pool.end()
    },
  }
}

/**
 * The settings that a connection really has: the URL's own options come after ours, and a proxy may drop
 * ours.
 */
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
    .catch((error: NodeJS.ErrnoException) =>
      refuse(`the database of DATABASE_URL cannot be used: ${error.message || error.code}`),
    )
  const asked = performance.now()
  const { rows } = await pool.query<ServerSettings>(selectServerSettings)
  const answered = performance.now()
  const [server] = rows
  if (!server) return
  const { version, synchronousCommit, isolation, now } = server
  if (Number.parseInt(version, 10) < OLDEST_POSTGRES)
    await refuse(
      `the database of DATABASE_URL is PostgreSQL ${version}; ${OLDEST_POSTGRES} or newer is needed`,
    )
  const cause = 'set by the options of the URL, or because a proxy does not pass on the options of Railyard'
  if (synchronousCommit === 'off')
    await refuse(
      `connections of DATABASE_URL have synchronous_commit=off, ${cause}: a payment that was answered could be lost`,
    )
  if (isolation !== 'read committed')
    await refuse(
      `connections of DATABASE_URL have default_transaction_isolation=${isolation}, ${cause}; "read committed" is needed`,
    )
  time.adjust({ server: now, asked, answered })
}
