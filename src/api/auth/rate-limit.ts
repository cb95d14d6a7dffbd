import type { Clock } from '../../base/clock.ts'
import { namedStatement } from '../../database/named-statement.ts'
import type { Statements } from '../../database/statements.ts'
import { ApiError } from '../errors.ts'

const WINDOW_SECONDS = 60

/** A bound on the requests in any 60 seconds. */
export interface Rate {
  limit: number
  /** Answered with 429 beyond the limit. */
  message: string
}

export const tokenRate: Rate = { limit: 50, message: 'Too many requests with this token' }

/** A rate with the key under which requests are counted. */
export interface Limit extends Rate {
  key: string
  /** Called for each request beyond the limit. */
  exceeded?: () => void
}

/**
 * Adds a hit to each key that has fewer than its limit within the window, and answers these keys. Exact,
 * whichever processes the requests reach.
 */
const addHits = namedStatement(['keys', 'limits', 'now'], (p) => {
  const hitsInWindow = `from unnest(stored.hits) at
             where at > ${p.now}::timestamptz - interval '${WINDOW_SECONDS} seconds'`
  return `
insert into rate_limits as stored (key, hits)
select requested.key, array[${p.now}::timestamptz]
  from unnest(${p.keys}::text[]) requested (key)
 order by requested.key
on conflict (key) do update
   set hits = (
            select coalesce(array_agg(at), '{}')
              ${hitsInWindow}
          ) || ${p.now}::timestamptz
 where (
            select count(*)
              ${hitsInWindow}
          ) < (
            select requested.most
              from unnest(${p.keys}::text[], ${p.limits}::int[]) requested (key, most)
             where requested.key = stored.key
          )
returning key, cardinality(hits) as hits`
})

/** A request counts under no limit after the one that refused it: a caller would use up what others share. */
const takeBackHits = `
update rate_limits
   set hits = hits[:cardinality(hits) - 1]
 where key = any($1::text[])`

const selectOldestHit = `
select min(at) as oldest
  from rate_limits, unnest(hits) at
 where key = $1
   and at > $2::timestamptz - interval '${WINDOW_SECONDS} seconds'`

const deleteIdle = `delete from rate_limits where coalesce(hits[cardinality(hits)], '-infinity') <= $1::timestamptz - interval '${WINDOW_SECONDS} seconds'`

/**
 * Deletes the rows of keys without a hit in the window: each browser's token leaves a row. The last of a
 * row's hits is its newest.
 */
export const deleteIdleRates = async (run: Statements, clock: Clock): Promise<void> =>
  void (await run(deleteIdle, [new Date(clock.now()).toISOString()]))

/**
 * Counts a request. Throws 429 beyond the rate, by default 50 requests in any 60 seconds (API §8). Answers
 * the headers to send.
 */
export const limitRate = (
  run: Statements,
  clock: Clock,
  key: string,
  rate = tokenRate,
): Promise<Record<string, string>> => limitRates(run, clock, { ...rate, key })

/**
 * Whether the key is within its limit; only then a hit is counted. For work that is left out beyond a rate,
 * rather than refused.
 */
export async function isWithinRate(
  run: Statements,
  clock: Clock,
  key: string,
  limit: number,
): Promise<boolean> {
  const accepted = await addHits.run(
    { run },
    { keys: [key], limits: [limit], now: new Date(clock.now()).toISOString() },
  )
  return accepted.length > 0
}

/**
 * Counts one request under several keys with one statement: those of the caller first, then those that it shares with
 * others. Throws 429 if it is beyond a limit, and then counts it under none that follows. Answers the headers of the
 * first limit.
 */
export async function limitRates(
  run: Statements,
  clock: Clock,
  first: Limit,
  ...others: Limit[]
): Promise<Record<string, string>> {
  const limits = [first, ...others]
  const now = new Date(clock.now()).toISOString()
  const parameters = { keys: limits.map(({ key }) => key), limits: limits.map(({ limit }) => limit), now }
  const accepted = await addHits.run<{ key: string; hits: number }>({ run }, parameters)
  const hits = new Map(accepted.map((row) => [row.key, row.hits]))
  const exceeded = limits.find(({ key }) => !hits.has(key))
  if (exceeded) {
    exceeded.exceeded?.()
    const later = limits.slice(limits.indexOf(exceeded) + 1).filter(({ key }) => hits.has(key))
    if (later.length > 0) await run(takeBackHits, [later.map(({ key }) => key)])
    throw await tooManyRequests(run, clock, exceeded)
  }
  return {
    'ratelimit-limit': String(first.limit),
    'ratelimit-remaining': String(first.limit - (hits.get(first.key) ?? 0)),
    'ratelimit-reset': String(WINDOW_SECONDS),
  }
}

async function tooManyRequests(
  run: Statements,
  clock: Clock,
  { key, limit, message }: Limit,
): Promise<ApiError> {
  const [first] = await run<{ oldest: string }>(selectOldestHit, [key, new Date(clock.now()).toISOString()])
  const wait = first
    ? Math.max(1, Math.ceil((Date.parse(first.oldest) + WINDOW_SECONDS * 1000 - clock.now()) / 1000))
    : 1
  return new ApiError(429, 'too_many_requests', message, {
    headers: {
      'retry-after': String(wait),
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(wait),
    },
  })
}
