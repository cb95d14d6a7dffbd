import { horizonOf } from '../database/logs/event-log.ts'
import type { World } from '../world.ts'
import type { EventRow } from './event.row.ts'

/** A place in the log: after the event that stands there. */
export interface LogPosition {
  position: number
  sequence: number
  id: string
}

/** Where every account's log begins. */
export const START_OF_LOG: LogPosition = { position: 0, sequence: 0, id: '00000000-0000-0000-0000-000000000000' }

/** What was found of a log, and when: milliseconds since 1970 by the database server's clock. */
interface LogRead {
  readAt: number
}

interface LogCheck extends LogRead {
  horizon: number
  /** The event at this place is in the log. A place that is a position alone has no event of its own, and must not be beyond the horizon. */
  isThere: boolean
}

const selectHorizon = `
with log as materialized (select event_horizon() as horizon)
select horizon,
       floor(extract(epoch from clock_timestamp()) * 1000)::bigint as "readAt",
       case when $4::uuid = '${START_OF_LOG.id}' then $2::bigint <= horizon
            else exists (select from events where merchant_account_id = $1 and position = $2::bigint and sequence = $3::int and id = $4::uuid) end as "isThere"
  from log`

async function checkPosition(world: Pick<World, 'run'>, account: string, { position, sequence, id }: LogPosition): Promise<LogCheck> {
  const [seen] = await world.run<LogCheck & Record<string, unknown>>(selectHorizon, [account, position, sequence, id])
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
  place: LogPosition = START_OF_LOG,
  limit = 100,
): Promise<(LogRead & { events: EventRow[] }) | 'lost'> {
  // the horizon first: what is committed after it is read the next time
  const { horizon, readAt, isThere } = await checkPosition(world, account, place)
  if (!isThere) return 'lost'
  const events = await world.run<EventRow>(between, [account, place.position, place.sequence, place.id, horizon, limit])
  return { readAt, events }
}

const lastBelow = `
select position, sequence, id from events
 where merchant_account_id = $1 and position < $2::bigint
 order by position desc, sequence desc, id desc limit 1`

async function lastPositionBelow(world: Pick<World, 'run'>, account: string, position: number): Promise<LogPosition> {
  const [place = START_OF_LOG] = await world.run<LogPosition & Record<string, unknown>>(lastBelow, [account, position])
  return place
}

/** The place of the last of an account's events that are final; where there is none, before everything. */
export async function lastLogPosition(world: Pick<World, 'run'>, account: string): Promise<LogRead & { logPosition: LogPosition }> {
  const { horizon, readAt } = await checkPosition(world, account, START_OF_LOG)
  return { readAt, logPosition: await lastPositionBelow(world, account, horizon) }
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
export async function positionBeforeLoss(world: Pick<World, 'run'>, account: string, readAt: number): Promise<LogPosition> {
  const [mark] = await world.run<{ position: number }>(markBefore, [readAt])
  return mark ? lastPositionBelow(world, account, mark.position) : START_OF_LOG
}

/** The place after everything that is committed, of all accounts. Ask for it before reading the log: what is committed between the two is beyond it. */
export const endOfLog = async (world: Pick<World, 'run'>): Promise<LogPosition> => ({ ...START_OF_LOG, position: await horizonOf(world) })

export const logPositionOf = ({ position, sequence, id }: Pick<EventRow, keyof LogPosition>): LogPosition => ({ position, sequence, id })
