import { readFileSync } from 'node:fs'
import pg from 'pg'
import { createDatabase } from '../test/support/cluster.ts'
import { startOwnPostgres } from '../test/support/own-postgres.ts'

/** The server that `scripts/with-postgres.sh` started for this run. */
function serverUrl(): string {
  const url = process.env['DATABASE_URL']
  if (!url)
    throw new Error(
      'PostgreSQL is measured under scripts/with-postgres.sh, which bench/run.ts starts by itself',
    )
  return url
}

export async function queryOn<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
    .query<Row>(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}

/** A new database for a measurement. */
export interface Database {
  url: string
  drop(): Promise<void>
}

/** An empty database on the server under test. */
export async function freshDatabase(): Promise<Database> {
  serverUrl()
  const database = await createDatabase('railyard_bench')
  if (!database) throw new Error('there is no server')
  return database
}

/**
 * An empty database on a server of its own with the settings of the one under test, for what that is compared
 * with: neither counts the other's CPU time, such as that of vacuum.
 */
export async function separateDatabase(): Promise<Database> {
  const settings = await queryOn<{ name: string; setting: string }>(
    serverUrl(),
    `select name, setting
       from pg_settings
      where source = 'command line'
        and name not in ('data_directory', 'config_file', 'listen_addresses', 'port', 'unix_socket_directories')`,
  )
  const { url, close } = await startOwnPostgres({
    settings: settings.map(({ name, setting }) => `${name}=${setting}`),
  })
  return { url, drop: close }
}

/** A server's first process, the parent of every backend; without a URL, of the server under test. */
export async function postmaster(url = serverUrl()): Promise<number> {
  const [row] = await queryOn<{ data_directory: string }>(url, 'show data_directory')
  return Number(readFileSync(`${row?.data_directory}/postmaster.pid`, 'utf8').split('\n')[0])
}

/** What a statement took of a server, without its commit and its planning by the server that it was sent to. */
export interface StatementTime {
  statement: string
  calls: number
  ms: number
}

/**
 * Begins to count the statements of a database, whose server has pg_stat_statements. On Citus the coordinator makes the
 * extension on the workers, too, whose databases are `others`.
 */
export async function countStatements(url: string, others: readonly string[] = []): Promise<void> {
  await queryOn(url, 'create extension if not exists pg_stat_statements')
  for (const each of [url, ...others]) await queryOn(each, 'select pg_stat_statements_reset()')
}

/** The statements since then that took the most, functions by their name. */
export const statementTimes = (url: string): Promise<StatementTime[]> =>
  queryOn<StatementTime & pg.QueryResultRow>(
    url,
    `select coalesce(regexp_replace(substring(query from '^select .*?(\\w+)\\('), '_[0-9a-f]{12}$', ''), left(regexp_replace(query, '\\s+', ' ', 'g'), 60)) as statement,
            sum(calls)::float8 as calls,
            sum(total_exec_time) as ms
       from pg_stat_statements
      where toplevel and dbid = (select oid from pg_database where datname = current_database())
      group by 1
      order by 3 desc
      limit 8`,
  )

export async function describeServer(): Promise<string> {
  const [row] = await queryOn<{ text: string }>(
    serverUrl(),
    `select 'PostgreSQL ' || current_setting('server_version') || ', fsync ' || current_setting('fsync') || ', synchronous_commit ' || current_setting('synchronous_commit') as text`,
  )
  return row?.text ?? ''
}
