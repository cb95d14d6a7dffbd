import { raisePositions } from '../../src/database/logs/event-log.ts'
import type { Shown } from '../crash/oracle.ts'
import { continueReading } from './readers.ts'
import type { KeyedRequest, Known, Story } from './story.ts'

/** A copy of the database, with the merchant's knowledge at that time. */
export interface Backup {
  /** The base of the log's positions. */
  eventBase: number
  payments: Known[]
  acknowledged: Map<string, Shown>
  keyed: KeyedRequest[]
}

/** The data that a restore removed: the payment services' books have it, our tables do not. */
export interface Lost {
  operations: Set<string>
  /** Payments and payouts with a lost operation. docs/operations/restore.md says how they are found. */
  transactions: Set<string>
}

/** Runs statements on each table that has rows: most have none. */
const eachTable = (each: string) => `
  for name in select quote_ident(relname) from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'kysely%' loop
    execute format('select exists (select from public.%s)', name) into has_rows;
    if has_rows then ${each} end if;
  end loop;`

const take = `
do $$ declare name text; has_rows boolean; begin
  drop schema if exists backup cascade;
  create schema backup;
  ${eachTable("execute format('create table backup.%s as table public.%s', name, name);")}
end $$`

const putBack = `
do $$ declare name text; has_rows boolean; begin
  perform set_config('session_replication_role', 'replica', true);
  ${eachTable("execute format('delete from public.%s', name);")}
  for name in select quote_ident(relname) from pg_class where relnamespace = 'backup'::regnamespace loop
    execute format('insert into public.%s select * from backup.%s', name, name);
  end loop;
  drop schema backup cascade;
end $$`

/** The transaction number of a new server, which would move log positions back. */
const LOW = 1_000

const countFrom = (base: number, isNewServer: boolean) => `
do $$ begin
  execute format('create or replace function event_base() returns bigint language plpgsql stable as %L', format('begin return %s; end',
    ${base}${isNewServer ? ` + ${LOW} - pg_snapshot_xmin(pg_current_snapshot())::text::bigint` : ''}));
end $$`

type Operation = { id: string; transaction_id: string }

const operationsOf = ({ stage, merchant }: Story): Promise<Operation[]> =>
  stage.railyard.world.run<Operation>(
    'select id, transaction_id from operations where merchant_account_id = $1',
    [merchant.account],
  )

export async function backUp(timeline: Story): Promise<string> {
  const { run } = timeline.stage.railyard.world
  await run(take, [])
  const [row] = await run<{ base: number }>('select event_base() as base', [])
  timeline.backup = {
    eventBase: Number(row?.base ?? 0),
    payments: timeline.payments.map((payment) => ({ ...payment })),
    acknowledged: new Map(timeline.acknowledged),
    keyed: [...timeline.keyed],
  }
  return 'the database is backed up'
}

/**
 * Restores the backup, on the same server or another, and starts the process. Clients and payment services
 * keep what happened since.
 */
export async function restore(timeline: Story): Promise<string> {
  const { backup, chance, coverage, lost, stage } = timeline
  if (!backup) return 'there is no backup'
  // events that readers read now are lost to them
  await continueReading(timeline)
  const isNewServer = chance.odds(0.7)
  const { run } = stage.railyard.world
  const before = await operationsOf(timeline)
  await run(putBack, [])
  await run(countFrom(backup.eventBase, isNewServer), [])
  await raisePositions(run)
  const kept = new Set((await operationsOf(timeline)).map(({ id }) => id))
  for (const { id, transaction_id } of before) {
    if (kept.has(id)) continue
    lost.operations.add(id)
    lost.transactions.add(transaction_id)
  }
  timeline.payments = backup.payments
  timeline.acknowledged = backup.acknowledged
  timeline.keyed = backup.keyed
  for (const id of lost.transactions) timeline.acknowledged.delete(id)
  timeline.backup = undefined
  coverage.hit(`restore: on ${isNewServer ? 'another' : 'the same'} server`)
  return `the database is restored on ${isNewServer ? 'another' : 'the same'} server`
}
