import { horizonOf } from '../database/logs/event-log.ts'
import { namedStatement } from '../database/named-statement.ts'
import type { World } from '../world.ts'
import type { EventRow } from './event.row.ts'

/**
 * A position in an account's event log: that of an event, or one that has no event, with the nil UUID as its
 * id.
 */
export interface LogPosition {
  position: number
  sequence: number
  id: string
}

/** The position before the first event of every account's log. */
export const START_OF_LOG: LogPosition = {
  position: 0,
  sequence: 0,
  id: '00000000-0000-0000-0000-000000000000',
}

interface LogRead {
  /** When the log was read: milliseconds since 1970 by the database server's clock. */
  readAt: number
}

interface LogCheck extends LogRead {
  horizon: number
  /** The log holds the event of this position, or did until the event was retired. A position without an event must not be beyond the horizon. */
  isInLog: boolean
}

const selectHorizon = `
select event_horizon() as horizon,
       floor(extract(epoch from clock_timestamp()) * 1000)::bigint as "readAt"`

const selectIsInLog = namedStatement(
  ['account', 'position', 'sequence', 'id'],
  (p) => `
select exists (select from events
                where merchant_account_id = ${p.account}
                  and position = ${p.position}::bigint
                  and sequence = ${p.sequence}::int
                  and id = ${p.id}::uuid) as "isInLog"`,
)

async function checkPosition(
  world: Pick<World, 'run'>,
  account: string,
  { position, sequence, id }: LogPosition,
): Promise<LogCheck> {
  const [[log], [event]] = await Promise.all([
    world.run<Omit<LogCheck, 'isInLog'> & Record<string, unknown>>(selectHorizon, []),
    id === START_OF_LOG.id
      ? []
      : selectIsInLog.run<Pick<LogCheck, 'isInLog'>>(world, { account, position, sequence, id }),
  ])
  const { horizon, readAt } = log ?? { horizon: 0, readAt: 0 }
  const isInLog = event ? event.isInLog || (await isRetired(world, id)) : position <= horizon
  return { horizon, readAt, isInLog }
}

async function isRetired({ run }: Pick<World, 'run'>, id: string): Promise<boolean> {
  const [row] = await run<{ retired: boolean }>('select $1::uuid < retired_below() as retired', [id])
  return row?.retired === true
}

const selectEventsBetween = namedStatement(
  ['account', 'position', 'sequence', 'id', 'horizon', 'limit'],
  (p) => `
select *
  from events
 where merchant_account_id = ${p.account}
   and (position, sequence, id) > (${p.position}::bigint, ${p.sequence}::int, ${p.id}::uuid)
   and position < ${p.horizon}::bigint
 order by position, sequence, id
 limit ${p.limit}`,
)

/**
 * Up to `limit` events of an account after a position, in the order of their commits. `lost`: the log does
 * not hold the event of the position, since the database has gone back to an earlier state (a restore, a
 * failover that lost commits).
 */
export async function readLog(
  world: Pick<World, 'run'>,
  account: string,
  after: LogPosition = START_OF_LOG,
  limit = 100,
): Promise<(LogRead & { events: EventRow[] }) | 'lost'> {
  // the horizon first: the next read finds the events that are committed after it
  const { horizon, readAt, isInLog } = await checkPosition(world, account, after)
  if (!isInLog) return 'lost'
  const { position, sequence, id } = after
  return {
    readAt,
    events: await selectEventsBetween.run<EventRow>(world, {
      account,
      position,
      sequence,
      id,
      horizon,
      limit,
    }),
  }
}

const selectLastBelow = `
select position, sequence, id
  from events
 where merchant_account_id = $1
   and position < $2::bigint
 order by position desc, sequence desc, id desc
 limit 1`

async function lastPositionBelow(
  world: Pick<World, 'run'>,
  account: string,
  position: number,
): Promise<LogPosition> {
  const [last = START_OF_LOG] = await world.run<LogPosition & Record<string, unknown>>(selectLastBelow, [
    account,
    position,
  ])
  return last
}

/** The position of the last of an account's events below the horizon; without one, the start of the log. */
export async function lastLogPosition(
  world: Pick<World, 'run'>,
  account: string,
): Promise<LogRead & { logPosition: LogPosition }> {
  const { horizon, readAt } = await checkPosition(world, account, START_OF_LOG)
  return { readAt, logPosition: await lastPositionBelow(world, account, horizon) }
}

/**
 * The last mark from before this time. Servers' clocks differ by less than ten minutes: a restored database
 * may be on another server.
 */
const selectMarkBefore = `
select position
  from event_log_marks
 where at <= to_timestamp($1::bigint / 1000.0) - interval '10 minutes'
 order by at desc
 limit 1`

/**
 * The position at which a reader continues whose last event is lost, and which it read at `readAt`. The last
 * mark from before that time is safe: every event below it was in the log then, and still is. Without such a
 * mark, the start of the log.
 */
export async function positionBeforeLoss(
  world: Pick<World, 'run'>,
  account: string,
  readAt: number,
): Promise<LogPosition> {
  const [mark] = await world.run<{ position: number }>(selectMarkBefore, [readAt])
  return mark ? lastPositionBelow(world, account, mark.position) : START_OF_LOG
}

/**
 * The position after every event that is committed, of all accounts. An event that is committed later has a
 * higher one.
 */
export const endOfLog = async (world: Pick<World, 'run'>): Promise<LogPosition> => ({
  ...START_OF_LOG,
  position: await horizonOf(world),
})

export const logPositionOf = ({
  position,
  sequence,
  id,
}: Pick<EventRow, keyof LogPosition>): LogPosition => ({ position, sequence, id })
