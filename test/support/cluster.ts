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

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
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

/** Makes an empty database, or a copy of `template`. Undefined: there is no server. */
export async function createDatabase(
  prefix: string,
  template?: string,
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
  if (isOnCitus() && !template) await joinNodes(database)
  return database
}

/** What a copy of a database has with it: the extension, and the nodes that the coordinator knows. */
async function joinNodes({ name, url }: Pick<ClusterDatabase, 'name' | 'url'>): Promise<void> {
  const [coordinator = '', ...workers] = nodes()
  await Promise.all(nodes().map((node) => run(urlOf(node, name), 'create extension citus')))
  const place = (node: string) => {
    const { hostname, port } = new URL(node)
    return `'${hostname}', ${port || 5432}`
  }
  await run(
    url,
    `select citus_set_coordinator_host(${place(coordinator)})`,
    ...workers.map((worker) => `select citus_add_node(${place(worker)})`),
  )
}

/** Ends what is connected to a database, Citus' own maintenance too, and keeps it unconnected: it can be copied. */
export const makeTemplate = async (name: string): Promise<void> =>
  void (await onEachNode(
    `alter database ${name} allow_connections false`,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  ))
