import { setTimeout as wait } from 'node:timers/promises'
import type { Statements } from './statements.ts'

/**
 * Up to where the logs of events and of changes are final: whoever writes now gets a position of at least this. A reader who goes on from the last row that it has
 * seen below it misses none, however long a transaction takes to commit.
 */
export async function horizonOf({ run }: { run: Statements }): Promise<number> {
  const [row] = await run<{ horizon: number }>('select event_horizon() as horizon', [])
  return row?.horizon ?? 0
}

/** The last position that is given away in any of the logs. */
const latest = `
select max(last.position) as position from merchant_accounts a, lateral (
  values ((select max(position) from events e where e.merchant_account_id = a.id)),
         ((select max(position) from audit_entries e where e.merchant_account_id = a.id)),
         ((select position from audit_seals s where s.merchant_account_id = a.id order by number desc limit 1)),
         ((select max(journal_position) from operations o where o.merchant_account_id = a.id)),
         ((select max(position) from settlements s where s.merchant_account_id = a.id)),
         ((select position from journal_seals s where s.merchant_account_id = a.id order by number desc limit 1))) last (position)`

/** Until everything that is committed now can be read: whoever is still writing holds readers back for as long. */
export async function whenReadable({ run }: { run: Statements }): Promise<void> {
  const [row] = await run<{ position: number | null }>(latest, [])
  while ((await horizonOf({ run })) <= (row?.position ?? 0)) await wait(5)
}

/** Where positions of the logs end, and what the next one would be if they went on from `event_base()`. */
const state = `
select (${latest}) > event_base() + pg_snapshot_xmax(pg_current_snapshot())::text::bigint as behind`

const raise = `
do $$ begin
  execute format('create or replace function event_base() returns bigint language plpgsql stable as %L', format('begin return %s; end',
    (select position + 1 - pg_snapshot_xmin(pg_current_snapshot())::text::bigint from (${latest}) latest)));
end $$`

/**
 * Positions of the logs come from the server's transaction numbers (migration 018). On a server that the rows were moved to, by a restore or a
 * replication, those may be lower: what is written then would be taken for read long ago. So each start looks, and raises what positions are counted from.
 */
export async function keepPositionsRising(run: Statements): Promise<boolean> {
  const [{ behind } = { behind: false }] = await run<{ behind: boolean | null }>(state, [])
  if (!behind) return false
  await run(raise, [])
  return true
}
