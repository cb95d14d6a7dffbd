import { setTimeout as wait } from 'node:timers/promises'
import type { Statements } from '../statements.ts'

/**
 * The horizon of the event log and the audit log: every new row gets at least this position. A reader that
 * reads only below the horizon, and continues after the last row that it has read, misses none, however long
 * a transaction takes to commit.
 */
export async function horizonOf({ run }: { run: Statements }): Promise<number> {
  const [row] = await run<{ horizon: number }>('select event_horizon() as horizon', [])
  return row?.horizon ?? 0
}

/**
 * The lowest position that the next row of a log may have: above every event, audit entry, decided operation,
 * settlement and issued gift card, and not below a stored horizon (of a seal, of a webhook subscription's
 * position in the log, of a mark).
 */
const selectNextPosition = `
select greatest(
  (select max(last.position) + 1
     from account_shards a (id), lateral (
       values ((select max(position) from events e where e.merchant_account_id = a.id)),
              ((select max(position) from audit_entries e where e.merchant_account_id = a.id)),
              ((select max(journal_position) from operations o where o.merchant_account_id = a.id)),
              ((select max(position) from settlements s where s.merchant_account_id = a.id)),
              ((select max(position) from gift_card_issuances i where i.merchant_account_id = a.id)),
              ((select position - 1 from audit_seals s where s.merchant_account_id = a.id order by number desc limit 1)),
              ((select position - 1 from journal_seals s where s.merchant_account_id = a.id order by number desc limit 1))) last (position)),
  (select max(position) from webhook_queues),
  (select max(position) from insight_progress),
  (select position from event_log_marks order by at desc limit 1)) as position`

/**
 * Waits until readers can see everything that is committed now: transactions that are still writing hold the
 * horizon back.
 */
export async function waitUntilReadable({ run }: { run: Statements }): Promise<void> {
  const [row] = await run<{ position: number | null }>(selectNextPosition, [])
  while ((await horizonOf({ run })) < (row?.position ?? 0)) await wait(5)
}

/** Whether new positions, counted from `event_base()`, would be below stored ones. */
const selectIsBehind = `select (${selectNextPosition}) > event_base() + pg_snapshot_xmax(pg_current_snapshot())::text::bigint as behind`

const raiseBase = `
do $$ begin
  execute format('create or replace function event_base() returns bigint language plpgsql stable as %L', format('begin return %s; end',
    (select position - pg_snapshot_xmin(pg_current_snapshot())::text::bigint from (${selectNextPosition}) next)));
end $$`

/**
 * Positions of the logs come from the server's transaction numbers (migration 018; on Citus they are times,
 * `citus/cluster-positions.ts`). After a restore or a replication to another server these may be lower, and readers
 * would skip new rows. So each start checks that, and raises the base of the positions. Returns whether it did.
 */
export async function raisePositions(run: Statements): Promise<boolean> {
  const [{ behind } = { behind: false }] = await run<{ behind: boolean | null }>(selectIsBehind, [])
  if (!behind) return false
  await run(raiseBase, [])
  return true
}

const insertMark = `
insert into event_log_marks (at, position)
select clock_timestamp(), event_horizon()
 where not exists (select from event_log_marks where at > clock_timestamp() - interval '10 minutes')
    on conflict do nothing
returning 1 as one`

/** Records the horizon, unless that was done within the last ten minutes. Returns the number of new marks. */
export const markEventLog = async ({ run }: { run: Statements }): Promise<number> =>
  (await run(insertMark, [])).length
