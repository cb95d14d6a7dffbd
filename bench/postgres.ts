import { readFileSync } from 'node:fs'
import pg from 'pg'
import { type ClusterDatabase, createDatabase } from '../test/support/cluster.ts'

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

/** A new database for each measurement. */
export async function freshDatabase(): Promise<ClusterDatabase> {
  serverUrl()
  const database = await createDatabase('railyard_bench')
  if (!database) throw new Error('there is no server')
  return database
}

/** A server's first process, the parent of every backend; without a URL, of the server under test. */
export async function postmaster(url = serverUrl()): Promise<number> {
  const [row] = await queryOn<{ data_directory: string }>(url, 'show data_directory')
  return Number(readFileSync(`${row?.data_directory}/postmaster.pid`, 'utf8').split('\n')[0])
}

export async function describeServer(): Promise<string> {
  const [row] = await queryOn<{ text: string }>(
    serverUrl(),
    `select 'PostgreSQL ' || current_setting('server_version') || ', fsync ' || current_setting('fsync') || ', synchronous_commit ' || current_setting('synchronous_commit') as text`,
  )
  return row?.text ?? ''
}
