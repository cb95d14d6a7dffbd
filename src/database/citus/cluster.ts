import { type Kysely, sql } from 'kysely'
import type { Settings } from '../../settings.ts'
import { type Database, UnusableDatabase } from '../database.ts'
import type { Tables } from '../tables.ts'

interface Cluster {
  isWorker: boolean
  hasCoordinator: boolean
  hasWorkers: boolean
  prepared: string
}

export async function isOnCitus(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  return rows.length > 0
}

/** Why tables are not divided, and months not retired, where shards divide them. */
export const NO_PARTITIONS = 'on Citus tables are not divided into partitions, so no payments can be retired'

/** Closes a database on Citus for which retention is set. Throws `UnusableDatabase`. */
export async function refuseRetentionOnCitus(
  database: Database,
  { retentionMonths, databaseUrl }: Pick<Settings, 'retentionMonths' | 'databaseUrl'>,
): Promise<Database> {
  if (retentionMonths === 0 || !databaseUrl || !(await isOnCitus(database.db))) return database
  await database.close()
  throw new UnusableDatabase(`RETENTION_MONTHS cannot be set: ${NO_PARTITIONS}`)
}

/** Throws `UnusableDatabase` if tables cannot be placed on the nodes that the coordinator knows. */
export async function refuseUnsuitableCluster(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<Cluster>`
    select (select groupid <> 0 from pg_dist_local_group) as "isWorker",
           exists (select from pg_dist_node where groupid = 0) as "hasCoordinator",
           exists (select from pg_dist_node where groupid <> 0 and shouldhaveshards) as "hasWorkers",
           current_setting('max_prepared_transactions') as prepared`.execute(db)
  const [cluster] = rows
  if (cluster?.isWorker) refuse('it is a worker: DATABASE_URL must name the coordinator')
  if (!cluster?.hasCoordinator)
    refuse(
      "the coordinator is not among its own nodes, so changes of reference tables would not be announced: run select citus_set_coordinator_host('<host of the coordinator>')",
    )
  if (!cluster?.hasWorkers)
    refuse("there is no worker: run select citus_add_node('<host of the worker>', 5432) for each")
  const { rows: workers } = await sql<{ node: string; prepared: string }>`
    select concat(nodename, ':', nodeport) as node, result as prepared
      from run_command_on_workers('show max_prepared_transactions')
      join pg_dist_node using (nodename, nodeport)`.execute(db)
  const without = [{ node: 'the coordinator', prepared: cluster?.prepared }, ...workers].filter(
    ({ prepared }) => prepared === '0',
  )
  if (without.length > 0)
    refuse(
      `max_prepared_transactions is 0 at ${without.map(({ node }) => node).join(', ')}: set it to at least max_connections, since a commit on several nodes is prepared on each`,
    )
}

function refuse(reason: string): never {
  throw new UnusableDatabase(`the database of DATABASE_URL is on Citus, and cannot be used: ${reason}`)
}
