import { horizonOf } from '../database/event-log.ts'
import type { World } from '../world.ts'
import type { EventRow } from './event.ts'

/** A place in the log: after the event that stands there. */
export interface LogPlace {
  position: number
  sequence: number
  id: string
}

/** Where every account's log begins. */
export const BEFORE_EVERYTHING: LogPlace = { position: 0, sequence: 0, id: '00000000-0000-0000-0000-000000000000' }

/** What was found of a log, and when: milliseconds since 1970 by the database server's clock. */
interface Found {
  readAt: number
}

interface Look extends Found {
  horizon: number
  /** The event at this place is in the log. A place that is a position alone has no event of its own, and must not be beyond the horizon. */
  isThere: boolean
}

const look = `
with log as materialized (select event_horizon() as horizon)
select horizon,
       floor(extract(epoch from clock_timestamp()) * 1000)::bigint as "readAt",
       case when $4::uuid = '${BEFORE_EVERYTHING.id}' then $2::bigint <= horizon
            else exists (select from events where merchant_account_id = $1 and position = $2::bigint and sequence = $3::int and id = $4::uuid) end as "isThere"
  from log`

async function lookAt(world: Pick<World, 'run'>, account: string, { position, sequence, id }: LogPlace): Promise<Look> {
  const [seen] = await world.run<Look & Record<string, unknown>>(look, [account, position, sequence, id])
  return seen ?? { horizon: 0, readAt: 0, isThere: false }
}

const between = `
select * from events
 where merchant_account_id = $1 and (position, sequence, id) > ($2::bigint, $3::int, $4::uuid) and position < $5::bigint
 order by position, sequence, id limit $6`

/**
 * Up to `limit` events of an account in the order of their commits, from a place on; without one from the beginning. `lost`: the event at the place is not
 * in the log, since the database has gone back to what it was before (a restore, a failover that lost commits).
 */
export async function readLog(
  world: Pick<World, 'run'>,
  account: string,
  place: LogPlace = BEFORE_EVERYTHING,
  limit = 100,
): Promise<(Found & { events: EventRow[] }) | 'lost'> {
  // the horizon first: what is committed after it is read the next time
  const { horizon, readAt, isThere } = await lookAt(world, account, place)
  if (!isThere) return 'lost'
  const events = await world.run<EventRow>(between, [account, place.position, place.sequence, place.id, horizon, limit])
  return { readAt, events }
}

const lastBelow = `
select position, sequence, id from events
 where merchant_account_id = $1 and position < $2::bigint
 order by position desc, sequence desc, id desc limit 1`

async function lastPlaceBelow(world: Pick<World, 'run'>, account: string, position: number): Promise<LogPlace> {
  const [place = BEFORE_EVERYTHING] = await world.run<LogPlace & Record<string, unknown>>(lastBelow, [account, position])
  return place
}

/** The place of the last of an account's events that are final; where there is none, before everything. */
export async function lastPlace(world: Pick<World, 'run'>, account: string): Promise<Found & { place: LogPlace }> {
  const { horizon, readAt } = await lookAt(world, account, BEFORE_EVERYTHING)
  return { readAt, place: await lastPlaceBelow(world, account, horizon) }
}

/** The last mark from before this time. Servers' clocks differ by less than ten minutes: a restored database may be on another one. */
const markBefore = `
select position from event_log_marks
 where at <= to_timestamp($1::bigint / 1000.0) - interval '10 minutes'
 order by at desc limit 1`

/**
 * From where a reader goes on who had read as far as a lost event at this time: everything before was in the log then, and is in it still. Without a mark from
 * before, from the beginning.
 */
export async function placeBeforeLoss(world: Pick<World, 'run'>, account: string, readAt: number): Promise<LogPlace> {
  const [mark] = await world.run<{ position: number }>(markBefore, [readAt])
  return mark ? lastPlaceBelow(world, account, mark.position) : BEFORE_EVERYTHING
}

/** The place after everything that is committed, of all accounts. Ask for it before reading the log: what is committed between the two is beyond it. */
export const endOfLog = async (world: Pick<World, 'run'>): Promise<LogPlace> => ({ ...BEFORE_EVERYTHING, position: await horizonOf(world) })

export const placeOf = ({ position, sequence, id }: Pick<EventRow, keyof LogPlace>): LogPlace => ({ position, sequence, id })
