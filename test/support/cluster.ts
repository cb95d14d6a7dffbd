import { randomUUID } from 'node:crypto'
import pg from 'pg'

/**
 * The URLs of the servers that a test's database is made on: `DATABASE_URL`, and on Citus the workers that
 * scripts/with-citus.sh names. Empty: the embedded database.
 */
const nodes = (): string[] => {
  const { DATABASE_URL, CITUS_WORKERS } = process.env
  return DATABASE_URL ? [DATABASE_URL, ...(CITUS_WORKERS?.split(' ') ?? [])] : []
}

/** Whether the tests run on Citus. */
export const isOnCitus = (): boolean => nodes().length > 1

const urlOf = (node: string, database: string): string => {
  const url = new URL(node)
  url.pathname = `/${database}`
  return url.href
}

async function run(url: string, ...statements: string[]): Promise<pg.QueryResult | undefined> {
  const client = new pg.Client({ connectionString: url })
  // a connection that breaks ends its statement
  client.on('error', () => undefined)
  await client.connect()
  try {
    let last: pg.QueryResult | undefined
    for (const statement of statements) last = await client.query(statement)
    return last
  } finally {
    await client.end()
  }
}

const onEachNode = (...statements: string[]) => Promise.all(nodes().map((node) => run(node, ...statements)))

/** A database on every node. */
export interface ClusterDatabase {
  name: string
  url: string
  drop(): Promise<void>
}

/**
 * Makes an empty database that knows its nodes, or a copy of `template`. `joins: false`: one server's, also on Citus.
 * Undefined: there is no server.
 */
export async function createDatabase(
  prefix: string,
  template?: string,
  { joins = true } = {},
): Promise<ClusterDatabase | undefined> {
  const [coordinator] = nodes()
  if (!coordinator) return undefined
  const name = `${prefix}_${randomUUID().replaceAll('-', '')}`
  await onEachNode(`create database ${name}${template ? ` template ${template}` : ''}`)
  const drop = async () => {
    // on Citus the nodes connect to each other's again
    if (isOnCitus()) await makeTemplate(name)
    await onEachNode(`drop database ${name} with (force)`)
  }
  const database = { name, url: urlOf(coordinator, name), drop }
  if (isOnCitus() && !template && joins) await joinNodes(database)
  return database
}

/** Makes a cluster of the databases of one name: the extension, and the nodes that the coordinator knows. */
export async function joinNodes(database: Pick<ClusterDatabase, 'name' | 'url'>): Promise<void> {
  const [coordinator = '', ...workers] = nodes()
  await run(
    database.url,
    'create extension citus',
    `select citus_set_coordinator_host(${placeOf(coordinator)})`,
  )
  for (const worker of workers) await joinWorker(database, worker)
}

/** Adds a server, which has an empty database of this name, to the workers of a database. */
async function joinWorker(
  { name, url }: Pick<ClusterDatabase, 'name' | 'url'>,
  worker: string,
): Promise<void> {
  await run(urlOf(worker, name), 'create extension citus')
  await run(url, `select citus_add_node(${placeOf(worker)})`)
}

/** Adds a server to the workers of the database with this URL, as docs/operations/citus.md says it. */
export async function addWorker(url: string, worker: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await run(worker, `create database ${name}`)
  await joinWorker({ name, url }, worker)
  await run(url, 'select replicate_reference_tables()')
}

/** The shard of an account's payments, and the port of the worker that has it. */
export async function shardOf(url: string, account: string): Promise<{ shard: string; port: number }> {
  const found = await run(
    url,
    `select shardid::text as shard, nodeport as port
       from pg_dist_shard_placement
      where shardid = get_shard_id_for_distribution_column('transactions', '${account}'::text)`,
  )
  return found?.rows[0]
}

/** Moves a shard, and those of the same accounts in other tables, from one worker to another. */
export const moveShard = (url: string, shard: string, from: string, to: string): Promise<unknown> =>
  run(url, `select citus_move_shard_placement(${shard}, ${placeOf(from)}, ${placeOf(to)})`)

const placeOf = (node: string) => {
  const { hostname, port } = new URL(node)
  return `'${hostname}', ${port || 5432}`
}

/** Ends what is connected to a database, Citus' own maintenance too, and keeps it unconnected: it can be copied. */
export const makeTemplate = async (name: string): Promise<void> =>
  void (await onEachNode(
    `alter database ${name} allow_connections false`,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  ))
