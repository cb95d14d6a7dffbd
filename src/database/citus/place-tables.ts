import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { refuseUnsuitableCluster } from './cluster.ts'
import { hasFormerPositions, positionByNodes } from './cluster-positions.ts'
import { distributeFunctions, hasUndistributedFunctions } from './distribute-functions.ts'

/** All rows of an account are on one shard; tables that are not yet placed follow this one. */
const FIRST_TABLE = 'transactions'
/** Reference tables that no trigger announces: payments and jobs look an account up in them. */
const REFERENCE_TABLES = ['merchant_accounts', 'network_token_identifiers']
/**
 * The account of a pass over all accounts says where it has got to; deliveries belong to the queue of their
 * subscription, which may be the whole instance's.
 */
const LOCAL_TABLES = ['vault_passes', 'webhook_deliveries']

interface UnplacedTable {
  name: string
  /** A copy on every node; otherwise distributed by the account. */
  isReference: boolean
}

/**
 * The tables with an account that Citus has on the coordinator alone. Tables of which every process keeps copies
 * become reference tables: they are small, and the coordinator has a copy too, whose trigger announces changes.
 */
const selectUnplaced = sql<UnplacedTable>`
select c.relname as name,
       c.relname = any(${REFERENCE_TABLES})
         or exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'announced') as "isReference"
  from pg_class c
 where c.relnamespace = current_schema()::regnamespace
   and c.relkind in ('r', 'p')
   and not c.relispartition
   and c.relname <> all(${LOCAL_TABLES})
   and (c.relname = any(${REFERENCE_TABLES})
        or exists (select from pg_attribute a
                    where a.attrelid = c.oid and a.attname = 'merchant_account_id' and not a.attisdropped))
   and not exists (select from pg_dist_partition p
                    where p.logicalrelid = c.oid and (p.partmethod = 'h' or p.repmodel = 't'))
 order by c.relname <> 'merchant_accounts', "isReference" desc, c.relname <> ${FIRST_TABLE}, c.relname`

const isPlaced = async (db: Kysely<Tables>): Promise<boolean> =>
  (await selectUnplaced.execute(db)).rows.length === 0 &&
  !(await hasUndistributedFunctions(db)) &&
  !(await hasFormerPositions(db))

/**
 * Prepares the nodes for this version, under the lock of the migrations: tables that are not placed yet, and functions
 * that workers lack. `connection`: one connection, since the lock is the session's. A start that has nothing to prepare
 * needs no worker.
 */
export async function prepareCluster(connection: Kysely<Tables>): Promise<void> {
  if (await isPlaced(connection)) return
  await refuseUnsuitableCluster(connection)
  const { adapter } = connection.getExecutor()
  const lock = { lockTable: 'kysely_migration_lock', lockRowId: 'migration_lock' }
  await adapter.acquireMigrationLock(connection, lock)
  try {
    await connection.transaction().execute(placeAll)
  } finally {
    await adapter.releaseMigrationLock(connection, lock)
  }
}

/** In one transaction: after a crash nothing is half placed, and the next start begins again. */
async function placeAll(db: Kysely<Tables>): Promise<void> {
  // foreign keys to reference tables want one connection to each node; triggers look at their own row only
  await sql`
    select set_config('citus.multi_shard_modify_mode', 'sequential', true),
           set_config('citus.enable_unsafe_triggers', 'on', true)`.execute(db)
  const { rows: tables } = await selectUnplaced.execute(db)
  const distributed = tables.filter(({ isReference }) => !isReference).map(({ name }) => name)
  const foreignKeys = await takeForeignKeys(db, distributed)
  await addAccountToUniqueKeys(db, distributed)
  await dropTriggersOfFormerVersions(db)
  await announceOnCoordinator(db)
  await positionByNodes(db, distributed)
  for (const { name, isReference } of tables) {
    if (isReference) await sql`select create_reference_table(${name})`.execute(db)
    else if (name === FIRST_TABLE)
      await sql`select create_distributed_table(${name}, 'merchant_account_id')`.execute(db)
    else
      await sql`select create_distributed_table(${name}, 'merchant_account_id', colocate_with => ${FIRST_TABLE})`.execute(
        db,
      )
  }
  for (const statement of foreignKeys) await sql.raw(statement).execute(db)
  await distributeFunctions(db)
}

/**
 * Foreign keys between the tables are dropped until all are placed. Citus has no `on delete set null` of a key with
 * the account: what is deleted is taken out of the other rows before.
 */
async function takeForeignKeys(db: Kysely<Tables>, tables: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ drop: string; add: string }>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
           format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
      from pg_constraint
     where contype = 'f'
       and conparentid = 0
       and conrelid = any(${tables}::regclass[])
       and confrelid = any(${tables}::regclass[])`.execute(db)
  for (const { drop } of rows) await sql.raw(drop).execute(db)
  return rows.map(({ add }) => add.replace(/ ON DELETE SET NULL.*$/, ''))
}

/**
 * A unique key of a distributed table needs its account. It becomes the last column, so that the index finds the
 * same rows as before. A key that the table has with its account, too, is dropped.
 */
async function addAccountToUniqueKeys(db: Kysely<Tables>, tables: readonly string[]): Promise<void> {
  const { rows } = await sql<{ statement: string }>`
    select concat_ws(
             '; ',
             case when k.conname is not null then format('alter table %s drop constraint %I', k.table, k.conname)
                  else format('drop index %s', k.index) end,
             case when not k.has_other then regexp_replace(k.definition, '\\) WHERE|\\)$', ', merchant_account_id\\&') end)
             as statement
      from (select i.indrelid::regclass as "table",
                   i.indexrelid::regclass as index,
                   pg_get_indexdef(i.indexrelid) as definition,
                   c.conname,
                   exists (select from pg_index other
                            where other.indrelid = i.indrelid
                              and other.indisunique
                              and other.indkey::text = concat(i.indkey::text, ' ', a.attnum)) as has_other
              from pg_index i
              join pg_attribute a
                on a.attrelid = i.indrelid
               and a.attname = 'merchant_account_id'
              left join pg_constraint c
                on c.conindid = i.indexrelid
               and c.contype in ('p', 'u')
             where i.indisunique
               and i.indrelid = any(${tables}::regclass[])
               and a.attnum <> all(i.indkey)) k`.execute(db)
  for (const { statement } of rows) await sql.raw(statement).execute(db)
}

/**
 * What they do is left out by processes of former versions alone, and none of these has run on Citus. They write
 * other rows than their own, which a shard cannot.
 */
const dropTriggersOfFormerVersions = (db: Kysely<Tables>) =>
  sql`
    drop trigger if exists disputes_counted on transactions;
    drop trigger if exists account_shards_added on merchant_accounts`.execute(db)

/**
 * A change of a reference table calls its trigger on every node. Processes listen at the coordinator; a worker cannot
 * prepare a commit with a notification.
 */
const announceOnCoordinator = (db: Kysely<Tables>) =>
  sql`
    create or replace function announce_change() returns trigger language plpgsql as $$
    begin
      if exists (select from pg_dist_local_group where groupid = 0) then
        perform pg_notify('railyard_changes', tg_argv[0]);
      end if;
      return null;
    end $$`.execute(db)
