import type { Statements } from '../database/statements.ts'
import type { Clock } from '../world.ts'
import { ApiError } from './errors.ts'

const WINDOW_SECONDS = 60

/** How many requests in any 60 seconds, and what the caller is told beyond them. */
export interface Rate {
  limit: number
  message: string
}

const ofTokens: Rate = { limit: 50, message: 'Too many requests with this token' }

/** Keeps the last hits of a key and adds one if fewer than the limit ($3) lie within the window: exact, whichever process is asked. */
const hit = `
  insert into rate_limits as known (key, hits) values ($1, array[$2::timestamptz])
  on conflict (key) do update
    set hits = (select coalesce(array_agg(at), '{}') from unnest(known.hits) at where at > $2::timestamptz - interval '60 seconds') || $2::timestamptz
    where (select count(*) from unnest(known.hits) at where at > $2::timestamptz - interval '60 seconds') < $3::int
  returning cardinality(hits) as hits`

const oldest = `select min(at) as oldest from rate_limits, unnest(hits) at where key = $1 and at > $2::timestamptz - interval '60 seconds'`

const forget = `delete from rate_limits where hits[cardinality(hits)] <= $1::timestamptz - interval '${WINDOW_SECONDS} seconds'`

/** Forgets tokens that have sent nothing within the window: each browser's token leaves a row. The last of a row's hits is its newest. */
export const forgetOldRates = async (run: Statements, clock: Clock): Promise<void> => void (await run(forget, [new Date(clock.now()).toISOString()]))

/** 429 beyond 50 requests in any 60 seconds for one browser token or checkout session (SPEC §8), or beyond another rate. Answers the headers to send. */
export async function limitRate(run: Statements, clock: Clock, key: string, { limit, message } = ofTokens): Promise<Record<string, string>> {
  const now = new Date(clock.now()).toISOString()
  const [accepted] = await run<{ hits: number }>(hit, [key, now, limit])
  if (accepted)
    return { 'ratelimit-limit': String(limit), 'ratelimit-remaining': String(limit - accepted.hits), 'ratelimit-reset': String(WINDOW_SECONDS) }
  const [first] = await run<{ oldest: string }>(oldest, [key, now])
  const wait = first ? Math.max(1, Math.ceil((Date.parse(first.oldest) + WINDOW_SECONDS * 1000 - clock.now()) / 1000)) : 1
  throw new ApiError(429, 'too_many_requests', message, {
    headers: { 'retry-after': String(wait), 'ratelimit-limit': String(limit), 'ratelimit-remaining': '0', 'ratelimit-reset': String(wait) },
  })
}
