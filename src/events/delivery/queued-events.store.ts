import { timeOf } from '../../base/clock.ts'
import { namedStatement } from '../../database/named-statement.ts'
import type { World } from '../../world.ts'
import type { EventRow } from '../event.row.ts'
import type { LogPosition } from '../event-log.ts'
import type { LeasedQueue } from './webhook-queue.store.ts'

/**
 * An event of the log after the queue's position. The events are read by a CTE: deliveries are on the coordinator of
 * Citus.
 */
export interface NewEvent extends EventRow {
  /**
   * `recorded`: it has a delivery already, since a process died after writing it, or the merchant asked for a
   * replay. `blocked`: an earlier event of its resource waits. `new`: it can be sent.
   */
  state: 'recorded' | 'blocked' | 'new'
}

interface NewEventParameters {
  subscription: string
  position: string
  sequence: string
  id: string
  horizon: string
  limit: string
}

const newEventParameters = [
  'subscription',
  'position',
  'sequence',
  'id',
  'horizon',
  'limit',
] as const satisfies (keyof NewEventParameters)[]

const deliveryState = ({ subscription }: Pick<NewEventParameters, 'subscription'>) => `
       case when exists (select from webhook_deliveries d
                          where d.webhook_subscription_id = ${subscription}
                            and d.id = e.id) then 'recorded'
            when exists (select from webhook_deliveries d
                          where d.webhook_subscription_id = ${subscription}
                            and d.status = 'waiting'
                            and d.target_id = e.target_id) then 'blocked'
            else 'new' end as state`

const isAfterPosition = ({ position, sequence, id, horizon }: NewEventParameters) =>
  `(e.position, e.sequence, e.id) > (${position}::bigint, ${sequence}::int, ${id}::uuid) and e.position < ${horizon}::bigint`

const selectNewOfAccount = namedStatement(
  [...newEventParameters, 'account'],
  (p) => `
with e as materialized (
  select *
    from events e
   where merchant_account_id = ${p.account}
     and ${isAfterPosition(p)}
   order by position, sequence, id
   limit ${p.limit}
)
select e.*, ${deliveryState(p)}
  from e
 order by position, sequence, id`,
)

const selectNewOfInstance = namedStatement(
  newEventParameters,
  (p) => `
with e as materialized (
  select e.*
    from account_shards a (id), lateral (
         select *
           from events e
          where e.merchant_account_id = a.id
            and ${isAfterPosition(p)}
          order by position, sequence, id
          limit ${p.limit}) e
   order by position, sequence, id
   limit ${p.limit}
)
select e.*, ${deliveryState(p)}
  from e
 order by position, sequence, id`,
)

/** Up to `limit` events of the log after a position and below a horizon, in the order of their commits. */
export async function readNewEvents(
  world: World,
  { subscription, account }: LeasedQueue,
  { after, horizon }: { after: LogPosition; horizon: number },
  limit: number,
): Promise<NewEvent[]> {
  const { position, sequence, id } = after
  const parameters = { subscription, position, sequence, id, horizon, limit }
  return account === null
    ? selectNewOfInstance.run<NewEvent>(world, parameters)
    : selectNewOfAccount.run<NewEvent>(world, { ...parameters, account })
}

/** The event of a delivery. `target_id` is the delivery's, which for an order is its payment. */
export interface DueEvent extends EventRow {
  tries: number
  give_up_at: string
}

const selectDue = namedStatement(
  ['subscription', 'now', 'except', 'limit'],
  (p) => `
select e.merchant_account_id, e.id, e.name, d.target_id, e.sequence, e.target, e.position, e.created_at,
       d.tries, d.give_up_at
  from (select *
          from webhook_deliveries
         where webhook_subscription_id = ${p.subscription}
           and status = 'waiting'
           and due_at <= ${p.now}
           and id <> all(${p.except}::uuid[])
         order by due_at
         limit ${p.limit}) d
  join events e on e.merchant_account_id = d.merchant_account_id
               and e.position = d.position
               and e.sequence = d.sequence
               and e.id = d.id
 order by d.due_at, e.position, e.sequence, e.id`,
)

/** Up to `limit` deliveries that have waited and are due now, without those of `except`. */
export const readDue = (
  world: World,
  { subscription }: LeasedQueue,
  except: string[],
  limit: number,
): Promise<DueEvent[]> =>
  selectDue.run<DueEvent>(world, { subscription, now: timeOf(world.clock), except, limit })
