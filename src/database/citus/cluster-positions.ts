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
const functions = {
  // one lock for a transaction, however many rows it writes. Where its setting is taken back, so is its lock
  event_position: {
    returns: 'bigint',
    body: `
    begin
      if current_setting('railyard.holds_horizon', true) is distinct from 'on' then
        perform pg_advisory_xact_lock_shared(-(extract(epoch from clock_timestamp()) * 1000000)::bigint);
        perform set_config('railyard.holds_horizon', 'on', true);
      end if;
      return extract(epoch from clock_timestamp()) * 1000000;
    end `,
  },
  // positions are microseconds since 1970, so that their locks have keys of this range alone
  event_horizon_of_node: {
    returns: 'bigint',
    body: `
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
    end `,
  },
  // 08006: to the caller, a worker that does not answer is a database that cannot be reached. Readers ask often, and
  // keep a connection until they are answered
  event_horizon: {
    returns: 'bigint',
    body: `
    declare
      horizon bigint;
      failure text;
    begin
      perform set_config('citus.node_connection_timeout', '2000', true);
      select min(case when success then result::bigint end), min(case when not success then result end)
        into horizon, failure
        from run_command_on_all_nodes('select event_horizon_of_node()');
      if failure is not null then
        raise exception using errcode = '08006', message = 'the horizon of the event log is not known: ' || failure;
      end if;
      return horizon;
    end `,
  },
  // on the shard: what is inserted through the coordinator has got its default there. The clock of the node that had
  // the shard before may have been ahead, here and for the journal
  assign_position: {
    returns: 'trigger',
    body: `
    declare
      last bigint;
    begin
      if current_setting('${KEEPS_POSITIONS}', true) = 'on' then return new; end if;
      -- max(position) reads all rows of the account as long as the shard was not analyzed
      execute format('select position from %s where merchant_account_id = $1 order by position desc limit 1', tg_relid::regclass)
         into last using new.merchant_account_id;
      new.position := greatest(event_position(), last + 1);
      return new;
    end `,
  },
  assign_journal_position: {
    returns: 'trigger',
    body: `
    declare
      last bigint;
    begin
      if current_setting('${KEEPS_POSITIONS}', true) = 'on' then return new; end if;
      execute format('select journal_position from %s where merchant_account_id = $1 and journal_position is not null
                       order by journal_position desc limit 1', tg_relid::regclass)
         into last using new.merchant_account_id;
      new.journal_position := greatest(event_position(), last + 1);
      return new;
    end `,
  },
} as const

/** Whether the functions are those of another version, or of one server. */
export async function hasFormerPositions(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ name: string; body: string }>`
    select proname as name,
           prosrc as body
      from pg_proc
     where pronamespace = current_schema()::regnamespace
       and proname = any(${Object.keys(functions)})`.execute(db)
  const found = new Map(rows.map(({ name, body }) => [name, body]))
  return Object.entries(functions).some(([name, { body }]) => found.get(name) !== body)
}

/**
 * Before the tables are placed: their shards get the triggers that they have then. Rows that are there, such as those
 * of a backup, keep their positions when they move to the shards in this transaction.
 */
export async function positionByNodes(db: Kysely<Tables>, tables: readonly string[]): Promise<void> {
  for (const [name, { returns, body }] of Object.entries(functions))
    await sql
      .raw(`create or replace function ${name}() returns ${returns} language plpgsql volatile as $$${body}$$`)
      .execute(db)
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
