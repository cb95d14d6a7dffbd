import type { World } from '../world.ts'

/** A resource with events, and how many there are of it (`event_count`). */
export interface ResourceWithEvents {
  id: string
  event_count: number
}

/** The place of an event in its account's log. */
export interface EventPosition {
  id: string
  position: number
  sequence: number
}

/**
 * How far from the times of its changes a payment's events are looked for, in milliseconds, before the whole log is read. An event is dated by the process that writes it, and placed by the database as it is written: between
 * the two are a moment, and what their clocks differ by.
 */
const SEARCH_RANGES_MS = [1_000, 60_000, 3_600_000]

/**
 * Finds all events of a payment and its operations. The log has no index by resource, since that would cost every payment, and erasures are rare: it is ordered by time, so the events are looked for around the times of
 * the payment's changes. Events are numbered for each resource without gaps, so it is known when all are found.
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
  for (const reach of SEARCH_RANGES_MS) {
    const found: EventPosition[] = []
    for (const { from, to } of spansAround(times, reach))
      found.push(...(await readSpan(world, account, ids, await positionAt(world, account, from), await positionAt(world, account, to))))
    if (found.length === expected) return found
  }
  return readSpan(world, account, ids, 0, Number.MAX_SAFE_INTEGER)
}

interface Span {
  from: number
  to: number
}

/** Spans that reach so far to both sides of these times, without overlaps. */
export function spansAround(times: readonly number[], reach: number): Span[] {
  const spans: Span[] = []
  for (const time of times.toSorted((a, b) => a - b)) {
    const last = spans.at(-1)
    if (last && time - reach <= last.to) last.to = time + reach
    else spans.push({ from: time - reach, to: time + reach })
  }
  return spans
}

/** $1 account, $2 time. Halves the positions until the first event is found that is not older; by the primary key, some forty steps. */
const firstSince = `
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
            where merchant_account_id = $1 and position >= middle
            order by position, sequence, id
            limit 1
         ) probe on true
   where low < high
)
select high as position from halved where low >= high`

/** Up to which position the events are older than this time, in milliseconds since 1970, as far as they stand in the order of their dates. */
async function positionAt({ run }: Pick<World, 'run'>, account: string, time: number): Promise<number> {
  const [found] = await run<{ position: number }>(firstSince, [account, new Date(time).toISOString()])
  return found?.position ?? 0
}

const BATCH = 5_000

/** $1 account, $2 position from, $3 position to, $4 resources. A batch of the log ends with the last event of a position. */
const batch = `
with log as materialized (
  select position, sequence, id, target_id
    from events
   where merchant_account_id = $1 and position >= $2::bigint and position < $3::bigint
   order by position
   fetch first ${BATCH} rows with ties
)
select (select max(position) + 1 from log) as next,
       coalesce(
         (select json_agg(json_build_object('id', id, 'position', position, 'sequence', sequence)) from log where target_id = any($4::uuid[])),
         '[]'
       ) as found`

async function readSpan({ run }: Pick<World, 'run'>, account: string, ids: readonly string[], from: number, to: number): Promise<EventPosition[]> {
  const places: EventPosition[] = []
  for (let next: number | null = from; next !== null; ) {
    const [read]: { next: number | null; found: EventPosition[] }[] = await run(batch, [account, next, to, ids])
    places.push(...(read?.found ?? []))
    next = read?.next ?? null
  }
  return places
}
