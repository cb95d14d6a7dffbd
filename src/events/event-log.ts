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

const between = `
select * from events
 where merchant_account_id = $1 and (position, sequence, id) > ($2::bigint, $3::int, $4::uuid) and position < $5::bigint
 order by position, sequence, id limit $6`

/** Up to `limit` events of an account in the order of their commits, from a place on; without one from the beginning. */
export async function readLog(world: Pick<World, 'run'>, account: string, place: LogPlace = BEFORE_EVERYTHING, limit = 100): Promise<EventRow[]> {
  const horizon = await horizonOf(world)
  return world.run<EventRow>(between, [account, place.position, place.sequence, place.id, horizon, limit])
}

const last = `
select position, sequence, id from events
 where merchant_account_id = $1 and position < $2::bigint
 order by position desc, sequence desc, id desc
 limit 1`

/** The place of the last of an account's events that are final; where there is none, before everything. */
export async function lastPlace(world: Pick<World, 'run'>, account: string): Promise<LogPlace> {
  const horizon = await horizonOf(world)
  const [place = BEFORE_EVERYTHING] = await world.run<LogPlace & Record<string, unknown>>(last, [account, horizon])
  return place
}

/** The place after everything that is committed, of all accounts. Ask for it before reading the log: what is committed between the two is beyond it. */
export const endOfLog = async (world: Pick<World, 'run'>): Promise<LogPlace> => ({ ...BEFORE_EVERYTHING, position: await horizonOf(world) })

export const placeOf = ({ position, sequence, id }: Pick<EventRow, keyof LogPlace>): LogPlace => ({ position, sequence, id })
