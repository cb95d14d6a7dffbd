import type { Statements } from './statements.ts'

/** Where positions of the log end, and what the next one would be if they went on from `event_base()`. */
const state = `
select (select max(last.position) from merchant_accounts a, lateral (select max(position) as position from events e where e.merchant_account_id = a.id) last)
         > event_base() + pg_snapshot_xmax(pg_current_snapshot())::text::bigint as behind`

const raise = `
do $$ begin
  execute format('create or replace function event_base() returns bigint language plpgsql stable as %L', format('begin return %s; end',
    (select max(position) + 1 - pg_snapshot_xmin(pg_current_snapshot())::text::bigint from events)));
end $$`

/**
 * Positions of the event log come from the server's transaction numbers (migration 018). On a server that the rows were moved to, by a restore or a
 * replication, those may be lower: what is written then would be taken for read long ago. So each start looks, and raises what positions are counted from.
 */
export async function keepPositionsRising(run: Statements): Promise<boolean> {
  const [{ behind } = { behind: false }] = await run<{ behind: boolean | null }>(state, [])
  if (!behind) return false
  await run(raise, [])
  return true
}
