import type { ClientBase, QueryResult, QueryResultRow } from 'pg'
import { READ_ONLY } from '../error-codes.ts'
import { COMMAND_LOCK_TIMEOUT_MS, LOCK_TIMEOUT_MS } from '../timeouts.ts'
import { CONNECT_TIMEOUT, QUERY_TIMEOUT } from './error-text.ts'

/** What statements and their durability rely on, in every session. */
export const fixedSettings = {
  // a 2xx is durable, on synchronous standbys too
  synchronous_commit: 'on',
  // statements are written for this level
  default_transaction_isolation: 'read committed',
  timezone: 'UTC',
  // the form of times in which `timestamp` reads them; the order of day and month does not matter
  datestyle: 'ISO, MDY',
  // exchange rates are read as they were written
  extra_float_digits: '1',
  // the bytes in a row's JSON are read in this form (`unpackJson`)
  bytea_output: 'hex',
  // PostgreSQL compiles a statement by its estimate, and that of a list by periods (98,966) is just short of
  // 100,000; it runs for milliseconds
  jit: 'off',
} as const

/**
 * Settings of every session, whatever the server, the database, the role, the URL or a proxy sets. They are
 * set after connecting, because proxies refuse or drop the `options` of a connection.
 */
const sessionSettings = (statementTimeout: number) => ({
  ...fixedSettings,
  statement_timeout: statementTimeout,
  lock_timeout: statementTimeout === 0 ? COMMAND_LOCK_TIMEOUT_MS : LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: 30_000,
  // a connection that the server closes while a statement is on its way costs a request its answer
  idle_session_timeout: 0,
})

/** The conditions of a session that cannot write, and what the operator does about them. */
const readOnlyReasons = {
  isStandby: 'the server is a standby (pg_is_in_recovery() is true): DATABASE_URL must lead to the primary',
  isReadOnly:
    'default_transaction_read_only is on: reset it for the role, the database and the server (alter role … reset default_transaction_read_only)',
} as const
const SELECT_READ_ONLY = `pg_is_in_recovery() as "isStandby", current_setting('default_transaction_read_only')::boolean as "isReadOnly"`

type ReadOnlyConditions = Record<keyof typeof readOnlyReasons, boolean>

/** The database cannot be written to; the code is PostgreSQL's for a write to such a server. */
export class ReadOnlyDatabase extends Error {
  readonly code = READ_ONLY
}

/**
 * Prepares a new connection: one statement makes the settings and looks whether the server takes
 * writes. `statementTimeout` in milliseconds, 0: none, for a command. Throws `ReadOnlyDatabase`.
 */
export function prepareSession(
  statementTimeout: number,
): (client: Pick<ClientBase, 'query'>) => Promise<void> {
  const statement = `select ${setSettings(sessionSettings(statementTimeout))}, ${SELECT_READ_ONLY}`
  return async (client) => {
    const { rows } = await firstQuery<ReadOnlyConditions>(client, statement)
    throwIfReadOnly(rows[0])
  }
}

/**
 * Prepares a new connection to a read replica: the same settings, and transactions that cannot write, should
 * the server become a primary. `statementTimeout` in milliseconds.
 */
export function prepareReplicaSession(
  statementTimeout: number,
): (client: Pick<ClientBase, 'query'>) => Promise<void> {
  const settings = { ...sessionSettings(statementTimeout), default_transaction_read_only: 'on' }
  // a standby refuses every query of a role whose transactions are serializable
  const statement = `begin isolation level read committed; select ${setSettings(settings)}; commit`
  return async (client) => void (await firstQuery(client, statement))
}

/**
 * A proxy may accept a connection and keep its first statement waiting until a connection to the server is
 * free: then it cannot be used, as if it had not been accepted.
 */
function firstQuery<Row extends QueryResultRow>(
  client: Pick<ClientBase, 'query'>,
  text: string,
): Promise<QueryResult<Row>> {
  // the types lack the limit
  const query = { text, query_timeout: LOCK_TIMEOUT_MS }
  return client.query<Row>(query).catch((error: Error) => {
    if (error.message !== QUERY_TIMEOUT) throw error
    throw new Error(`${CONNECT_TIMEOUT}: it was accepted, and its first statement not answered`, {
      cause: error,
    })
  })
}

/** PostgreSQL has it from version 17 on. It would end migrations and reports. */
const SET_TRANSACTION_TIMEOUT = `case when current_setting('server_version_num')::int >= 170000 then set_config('transaction_timeout', '0', false) end`

const setSettings = (settings: Record<string, string | number>): string =>
  [
    ...Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`),
    SET_TRANSACTION_TIMEOUT,
  ].join(', ')

function throwIfReadOnly(conditions: ReadOnlyConditions | undefined): void {
  if (conditions?.isStandby) throw new ReadOnlyDatabase(readOnlyReasons.isStandby)
  if (conditions?.isReadOnly) throw new ReadOnlyDatabase(readOnlyReasons.isReadOnly)
}
