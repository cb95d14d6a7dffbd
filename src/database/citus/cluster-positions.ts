import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

/** The columns with positions of the logs (`logs/event-log.ts`). */
const positionColumns = [
  { table: 'events', column: 'position' },
  { table: 'audit_entries', column: 'position' },
  { table: 'settlements', column: 'position' },
  { table: 'gift_card_issuances', column: 'position' },
  { table: 'operations', column: 'journal_position' },
] as const

/** The setting of a transaction whose rows have their positions already. */
const KEEPS_POSITIONS = 'railyard.keeps_positions'

/**
 * Each node numbers its own transactions, so on Citus a position is the time of the node that has the shard, in
 * microseconds. A transaction that has begun to write keeps a shared advisory lock whose key is a time before its
 * positions, also while it is prepared, and whatever becomes of the coordinator. The horizon of a node is the oldest
 * such key, or its time: every later position there is at least that. The horizon of the log is the lowest of all
 * nodes, so clocks that differ only delay readers, and a shard that moves to another node brings them nothing below
 * what they have read.
 */
const functions = [
  sql`
    create or replace function event_position() returns bigint language plpgsql volatile as $$
    begin
      perform pg_advisory_xact_lock_shared(-(extract(epoch from clock_timestamp()) * 1000000)::bigint);
      return extract(epoch from clock_timestamp()) * 1000000;
    end $$`,
  // positions are microseconds since 1970, so that their locks have keys of this range alone
  sql`
    create or replace function event_horizon_of_node() returns bigint language plpgsql volatile as $$
    declare
      now bigint := extract(epoch from clock_timestamp()) * 1000000;
      oldest bigint;
    begin
      select -max(key) into oldest
        from (select (classid::bigint << 32) | objid::bigint as key
                from pg_locks
               where locktype = 'advisory'
                 and objsubid = 1
                 and database = (select oid from pg_database where datname = current_database())) held
       where key between -9000000000000000 and -1000000000000000;
      return least(now, oldest);
    end $$`,
  sql`
    create or replace function event_horizon() returns bigint language plpgsql volatile as $$
    declare
      horizon bigint;
      failure text;
    begin
      select min(case when success then result::bigint end), min(case when not success then result end)
        into horizon, failure
        from run_command_on_all_nodes('select event_horizon_of_node()');
      if failure is not null then
        raise exception 'the horizon of the event log is not known: %', failure;
      end if;
      return horizon;
    end $$`,
  // on the shard: what is inserted through the coordinator has got its default there. The clock of the node that had
  // the shard before may have been ahead
  sql`
    create or replace function assign_position() returns trigger language plpgsql as $$
    declare
      last bigint;
    begin
      if current_setting('${sql.raw(KEEPS_POSITIONS)}', true) = 'on' then return new; end if;
      -- max(position) reads all rows of the account as long as the shard was not analyzed
      execute format('select position from %s where merchant_account_id = $1 order by position desc limit 1', tg_relid::regclass)
         into last using new.merchant_account_id;
      new.position := greatest(event_position(), last + 1);
      return new;
    end $$`,
  sql`
    create or replace function assign_journal_position() returns trigger language plpgsql as $$
    begin
      if current_setting('${sql.raw(KEEPS_POSITIONS)}', true) = 'on' then return new; end if;
      new.journal_position := event_position();
      return new;
    end $$`,
]

/**
 * Before the tables are placed: their shards get the triggers that they have then. Rows that are there, such as those
 * of a backup, keep their positions when they move to the shards in this transaction.
 */
export async function positionByNodes(db: Kysely<Tables>, tables: readonly string[]): Promise<void> {
  for (const statement of functions) await statement.execute(db)
  await sql`set local citus.propagate_set_commands = 'local'`.execute(db)
  await sql`set local ${sql.raw(KEEPS_POSITIONS)} = 'on'`.execute(db)
  for (const { table, column } of positionColumns.filter(({ table }) => tables.includes(table))) {
    if (column === 'position')
      await sql`
        create or replace trigger position_assigned before insert on ${sql.table(table)}
           for each row execute function assign_position()`.execute(db)
    else
      await sql`
        create or replace trigger position_assigned before insert or update of journal_position on ${sql.table(table)}
           for each row when (new.journal_position is not null) execute function assign_journal_position()`.execute(
        db,
      )
  }
}
