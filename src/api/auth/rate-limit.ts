import type { Clock } from '../../base/clock.ts'
import type { Statements } from '../../database/statements.ts'
import { ApiError } from '../errors.ts'

const WINDOW_SECONDS = 60

/** How many requests in any 60 seconds, and what the caller is told beyond them. */
export interface Rate {
  limit: number
  message: string
}

export const tokenRate: Rate = { limit: 50, message: 'Too many requests with this token' }

/** A rate under the key that it is counted by. */
export interface Limit extends Rate {
  key: string
  /** Told of each request that is beyond it. */
  exceeded?: () => void
}

const hitsWithin = `from unnest(known.hits) at where at > $3::timestamptz - interval '${WINDOW_SECONDS} seconds'`

/** Keeps the last hits of each key ($1) and adds one where fewer than its limit ($2) lie within the window: exact, whichever process is asked. */
const hit = `
  insert into rate_limits as known (key, hits)
  select asked.key, array[$3::timestamptz] from unnest($1::text[]) asked (key) order by asked.key
  on conflict (key) do update
    set hits = (select coalesce(array_agg(at), '{}') ${hitsWithin}) || $3::timestamptz
    where (select count(*) ${hitsWithin})
          < (select asked.most from unnest($1::text[], $2::int[]) asked (key, most) where asked.key = known.key)
  returning key, cardinality(hits) as hits`

const oldest = `select min(at) as oldest from rate_limits, unnest(hits) at where key = $1 and at > $2::timestamptz - interval '${WINDOW_SECONDS} seconds'`

const deleteIdle = `delete from rate_limits where hits[cardinality(hits)] <= $1::timestamptz - interval '${WINDOW_SECONDS} seconds'`

/** Forgets tokens that have sent nothing within the window: each browser's token leaves a row. The last of a row's hits is its newest. */
export const deleteIdleRates = async (run: Statements, clock: Clock): Promise<void> =>
  void (await run(deleteIdle, [new Date(clock.now()).toISOString()]))

/** 429 beyond 50 requests in any 60 seconds for one browser token or checkout session (SPEC §8), or beyond another rate. Answers the headers to send. */
export const limitRate = (run: Statements, clock: Clock, key: string, rate = tokenRate): Promise<Record<string, string>> =>
  limitRates(run, clock, { ...rate, key })

/** Whether this is within the limit of the key; only then it counts. For what is left out beyond a rate, rather than refused. */
export async function isWithinRate(run: Statements, clock: Clock, key: string, limit: number): Promise<boolean> {
  return (await run(hit, [[key], [limit], new Date(clock.now()).toISOString()])).length > 0
}

/** One request counted under several keys by one statement; 429 where it is beyond any of them. The headers tell of the first. */
export async function limitRates(run: Statements, clock: Clock, first: Limit, ...others: Limit[]): Promise<Record<string, string>> {
  const limits = [first, ...others]
  const now = new Date(clock.now()).toISOString()
  const accepted = await run<{ key: string; hits: number }>(hit, [limits.map(({ key }) => key), limits.map(({ limit }) => limit), now])
  const hits = new Map(accepted.map((row) => [row.key, row.hits]))
  const exceeded = limits.find(({ key }) => !hits.has(key))
  if (exceeded) {
    exceeded.exceeded?.()
    throw await tooManyRequests(run, clock, exceeded)
  }
  return {
    'ratelimit-limit': String(first.limit),
    'ratelimit-remaining': String(first.limit - (hits.get(first.key) ?? 0)),
    'ratelimit-reset': String(WINDOW_SECONDS),
  }
}

async function tooManyRequests(run: Statements, clock: Clock, { key, limit, message }: Limit): Promise<ApiError> {
  const [first] = await run<{ oldest: string }>(oldest, [key, new Date(clock.now()).toISOString()])
  const wait = first ? Math.max(1, Math.ceil((Date.parse(first.oldest) + WINDOW_SECONDS * 1000 - clock.now()) / 1000)) : 1
  return new ApiError(429, 'too_many_requests', message, {
    headers: { 'retry-after': String(wait), 'ratelimit-limit': String(limit), 'ratelimit-remaining': '0', 'ratelimit-reset': String(wait) },
  })
}
