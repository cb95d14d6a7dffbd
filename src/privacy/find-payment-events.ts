import { namedStatement } from '../database/named-statement.ts'
import type { World } from '../world.ts'

/** A resource and the number of its events. */
export interface ResourceWithEvents {
  id: string
  event_count: number
}

/** The position of an event in its account's log. */
export interface EventPosition {
  id: string
  position: number
  sequence: number
}

/**
 * How far around the times of a payment's changes its events are searched, in milliseconds, before the whole
 * log is read. The process that writes an event sets its time, and the database its position; the two differ
 * by a moment and by the difference of their clocks.
 */
const SEARCH_RANGES_MS = [1_000, 60_000, 3_600_000]

/**
 * Finds all events of a payment and its operations. The log has no index by resource, since that would cost
 * every payment, and erasures are rare. It is ordered by time, so the search goes around the times of the
 * payment's changes (milliseconds since 1970). The resources' event counts tell when all events are found.
 */
export async function findPaymentEvents(
  world: Pick<World, 'run'>,
  account: string,
  resources: readonly ResourceWithEvents[],
  times: readonly number[],
): Promise<EventPosition[]> {
  const expected = resources.reduce((sum, { event_count }) => sum + event_count, 0)
  const ids = resources.map(({ id }) => id)
  if (expected === 0) return []
  for (const range of SEARCH_RANGES_MS) {
    const events: EventPosition[] = []
    for (const { from, to } of spansAround(times, range))
      events.push(
        ...(await readSpan(
          world,
          account,
          ids,
          await positionAt(world, account, from),
          await positionAt(world, account, to),
        )),
      )
    if (events.length === expected) return events
  }
  return readSpan(world, account, ids, 0, Number.MAX_SAFE_INTEGER)
}

interface Span {
  from: number
  to: number
}

/** The spans of `range` on both sides of these times, joined where they overlap. */
export function spansAround(times: readonly number[], range: number): Span[] {
  const spans: Span[] = []
  for (const time of times.toSorted((a, b) => a - b)) {
    const last = spans.at(-1)
    if (last && time - range <= last.to) last.to = time + range
    else spans.push({ from: time - range, to: time + range })
  }
  return spans
}

/**
 * A binary search over the positions for the first event that is not older than $2; some forty steps by the
 * primary key.
 */
const selectPositionAt = `
with recursive halved (low, high) as (
  select 0::bigint, coalesce((select max(position) + 1 from events where merchant_account_id = $1), 0)
   union all
  select case when probe.created_at < $2::timestamptz then greatest(middle + 1, probe.position) else low end,
         case when probe.created_at < $2::timestamptz then high else middle end
    from halved,
         lateral (select (low + high) / 2 as middle) half
         left join lateral (
           select position, created_at
             from events
            where merchant_account_id = $1
              and position >= middle
            order by position, sequence, id
            limit 1
         ) probe on true
   where low < high
)
select high as position from halved where low >= high`

/**
 * The position below which the events are older than this time (milliseconds since 1970), as far as they are
 * in the order of their times.
 */
async function positionAt({ run }: Pick<World, 'run'>, account: string, time: number): Promise<number> {
  const [row] = await run<{ position: number }>(selectPositionAt, [account, new Date(time).toISOString()])
  return row?.position ?? 0
}

const BATCH = 5_000

/** A batch of the log ends with the last event of a position. */
const selectBatch = namedStatement(
  ['account', 'from', 'to', 'resources'],
  (p) => `
with log as materialized (
  select position, sequence, id, target_id
    from events
   where merchant_account_id = ${p.account}
     and position >= ${p.from}::bigint
     and position < ${p.to}::bigint
   order by position
   fetch first ${BATCH} rows with ties
)
select (select max(position) + 1 from log) as next,
       coalesce(
         (select json_agg(json_build_object('id', id, 'position', position, 'sequence', sequence))
            from log
           where target_id = any(${p.resources}::uuid[])),
         '[]'
       ) as events`,
)

async function readSpan(
  world: Pick<World, 'run'>,
  account: string,
  resources: readonly string[],
  from: number,
  to: number,
): Promise<EventPosition[]> {
  const events: EventPosition[] = []
  for (let next: number | null = from; next !== null; ) {
    const [batch]: { next: number | null; events: EventPosition[] }[] = await selectBatch.run(world, {
      account,
      from: next,
      to,
      resources,
    })
    events.push(...(batch?.events ?? []))
    next = batch?.next ?? null
  }
  return events
}
