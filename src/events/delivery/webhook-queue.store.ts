import { type Kysely, sql } from 'kysely'
import { isInCurrentTime } from '../../base/account-clock.ts'
import { timeOf } from '../../base/clock.ts'
import type { WebhookAttempt } from '../../database/tables/events.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type { EventRow } from '../event.row.ts'
import type { LogPosition } from '../event-log.ts'

/**
 * How long a process has a queue before it must renew its lease, in milliseconds of the machine's clock:
 * moving an account's clock ends no lease.
 */
export const QUEUE_LEASE_MS = 20_000

/** A queue that this process has leased, as it was at that time. */
export interface LeasedQueue extends LogPosition {
  subscription: string
  /** Null: of the instance. */
  account: string | null
  /** What its subscription is sent. */
  form: 'event' | 'agentic-order'
  /** The id of this lease; each lease has its own. */
  lease: string
  /** The erasures before this lease. */
  erasures: number
  /** Attempts that have failed in a row, and when the first of them was. */
  failures: number
  failingSince: string | null
}

const hasDue = (now: string) => sql`
  exists (select from webhook_deliveries d
           where d.webhook_subscription_id = q.webhook_subscription_id
             and d.status = 'waiting'
             and d.due_at <= ${now}::timestamptz)`

/**
 * The newest event below the horizon of each account that a subscription is sent: one index lookup for each. A CTE,
 * since queues are on the coordinator of Citus, and events are not.
 */
export const newestEvents = (horizon: number) => sql`
  newest as materialized (
    select a.id as account, e.position, e.sequence, e.id
      from account_shards a (id), lateral (
           select position, sequence, id
             from events
            where merchant_account_id = a.id
              and position < ${horizon}::bigint
            order by position desc, sequence desc, id desc
            limit 1) e
     where exists (select from webhook_subscriptions s
                    where s.active
                      and s.deleted_at is null
                      and (s.merchant_account_id is null or s.merchant_account_id = a.id))
  )`

/** Whether the log of a queue `q` of the subscription `s` goes on after its position. */
export const hasNewEvents = sql`
  exists (select from newest n
           where (s.merchant_account_id is null or n.account = s.merchant_account_id)
             and (n.position, n.sequence, n.id) > (q.position, q.sequence, q.event_id))`

/**
 * Leases up to `limit` queues that have something to send, are not leased and do not pause; those whose lease
 * ended first come first. `horizon`: that of the log of events. `except`: the queues that this process has.
 */
export async function leaseQueues(
  world: World,
  horizon: number,
  limit: number,
  except: string[],
): Promise<LeasedQueue[]> {
  const now = timeOf(world.clock)
  const machineNow = world.machineClock.now()
  const lease = world.ids.next()
  const { rows } = await sql<LeasedQueue>`
    with ${newestEvents(horizon)}, claimed as (
      select q.webhook_subscription_id, s.merchant_account_id, s.form
        from webhook_queues q
        join webhook_subscriptions s on s.id = q.webhook_subscription_id
       where s.active
         and s.deleted_at is null
         and q.resume_at <= ${now}::timestamptz
         and q.leased_until <= ${timeOf(world.machineClock)}::timestamptz
         and q.webhook_subscription_id <> all(${except}::uuid[])
         and ${isInCurrentTime('s.merchant_account_id')}
         and (${hasDue(now)} or ${hasNewEvents})
       order by q.leased_until
       limit ${limit}
         for update of q skip locked
    )
    update webhook_queues q
       set leased_by = ${lease},
           leased_until = ${new Date(machineNow + QUEUE_LEASE_MS).toISOString()}
      from claimed
     where q.webhook_subscription_id = claimed.webhook_subscription_id
    returning q.webhook_subscription_id as subscription, claimed.merchant_account_id as account, claimed.form, q.leased_by as lease,
              q.position, q.sequence, q.event_id as id, q.failures, q.failing_since as "failingSince",
              q.erasures`.execute(world.db)
  return rows
}

/** The outcome of a delivery, as it is written. */
export interface DeliveryOutcome
  extends Pick<
    EventRow,
    'id' | 'merchant_account_id' | 'position' | 'sequence' | 'target_id' | 'created_at'
  > {
  event_name: string
  status: 'waiting' | 'succeeded' | 'failed'
  /** Null: it was not sent, since an earlier event of its resource waits. */
  attempt: WebhookAttempt | null
  tries: number
  due_at: string | null
  give_up_at: string
}

/** The queue after the outcomes. */
export interface QueueState {
  logPosition: LogPosition
  leasedUntil: string
  resumeAt: string | null
  failures: number
  failingSince: string | null
}

/** The newest attempts of a delivery that its row keeps. */
const MAX_ATTEMPTS_KEPT = 20

const columns = sql`id, merchant_account_id, position, sequence, target_id, event_name, status, attempts, tries, history, due_at, give_up_at, created_at`

/**
 * Writes the outcomes of deliveries and the queue's position, and renews the lease. False: the lease is lost,
 * and nothing is written. `waitingTargets`: the resources with a delivery that waits or has waited. The answers of
 * receivers are left out after an erasure: the requests may have had, and the answers may repeat, what it erased. The
 * erasure changes the queue's row (`eraseDeliveries`), so that it comes before this statement or finds its rows.
 */
export async function writeDeliveryOutcomes(
  world: World,
  { subscription, lease, erasures }: LeasedQueue,
  { logPosition, leasedUntil, resumeAt, failures, failingSince }: QueueState,
  outcomes: readonly DeliveryOutcome[],
  waitingTargets: string[],
): Promise<boolean> {
  const now = timeOf(world.clock)
  const write = sql`
    with leased as (
      update webhook_queues
         set position = ${logPosition.position},
             sequence = ${logPosition.sequence},
             event_id = ${logPosition.id},
             leased_until = ${leasedUntil},
             resume_at = coalesce(${resumeAt}::timestamptz, '-infinity'),
             failures = ${failures},
             failing_since = ${failingSince}::timestamptz
       where webhook_subscription_id = ${subscription}
         and leased_by = ${lease}
      returning webhook_subscription_id,
                erasures
    ), written as (
      insert into webhook_deliveries as recorded (webhook_subscription_id, ${columns}, updated_at)
      select webhook_subscription_id, ${columns}, ${now}::timestamptz
        from leased,
             jsonb_to_recordset(${JSON.stringify(outcomes.map(toColumns))}::jsonb) as outcome (
          id uuid, merchant_account_id text, position bigint, sequence int, target_id uuid, event_name text, status text, attempts int, tries int,
          attempt jsonb, due_at timestamptz, give_up_at timestamptz, created_at timestamptz),
             lateral (select case when attempt is null then '[]'
                                  when erasures = ${erasures} then jsonb_build_array(attempt)
                                  else jsonb_build_array(attempt || '{"response": null}') end) as kept (history)
      on conflict (webhook_subscription_id, id, merchant_account_id) do update
         set status = ${unlessRetried('status')},
             tries = ${unlessRetried('tries')},
             due_at = ${unlessRetried('due_at')},
             attempts = recorded.attempts + excluded.attempts,
             history = case when jsonb_array_length(recorded.history) >= ${sql.lit(MAX_ATTEMPTS_KEPT)} then recorded.history - 0
                            else recorded.history end || excluded.history,
             updated_at = excluded.updated_at
       where excluded.attempts > 0
    )
    select webhook_subscription_id from leased`
  if (waitingTargets.length === 0) return (await write.execute(world.db)).rows.length > 0
  return world.db.transaction().execute(async (db) => {
    const isLeased = (await write.execute(db)).rows.length > 0
    if (isLeased) await makeFirstOfEachResourceDue(db, subscription, waitingTargets, now)
    return isLeased
  })
}

/**
 * A merchant's retry or replay moves `give_up_at`. When it comes while an attempt is in flight, the delivery
 * is sent once more, whatever that attempt's outcome.
 */
const unlessRetried = (column: 'status' | 'tries' | 'due_at') =>
  sql`case when recorded.give_up_at > excluded.give_up_at then recorded.${sql.ref(column)} else excluded.${sql.ref(column)} end`

const toColumns = ({ attempt, ...outcome }: DeliveryOutcome) => ({
  ...outcome,
  attempts: attempt ? 1 : 0,
  ...(attempt && { attempt }),
})

/** Makes the first waiting delivery of each resource due, and only that one. */
export async function makeFirstOfEachResourceDue(
  db: Kysely<Tables>,
  subscription: string,
  targets: string[],
  now: string,
): Promise<void> {
  await sql`
    with line as (
      select id, row_number() over (partition by merchant_account_id, target_id order by position, sequence, id) = 1 as is_first
        from webhook_deliveries
       where webhook_subscription_id = ${subscription}
         and status = 'waiting'
         and target_id = any(${targets}::uuid[])
    )
    update webhook_deliveries d
       set due_at = case when line.is_first then ${now}::timestamptz end
      from line
     where d.webhook_subscription_id = ${subscription}
       and d.id = line.id
       and line.is_first = (d.due_at is null)`.execute(db)
}

/**
 * Gives the queue back, when none of this lease's requests is in flight any more. The lease may have been
 * ended meanwhile by `restartQueue` or `closeQueue`.
 */
export async function releaseQueue(world: World, { subscription, lease }: LeasedQueue): Promise<void> {
  await world.db
    .updateTable('webhook_queues')
    .set({ leased_by: null, leased_until: timeOf(world.machineClock) })
    .where('webhook_subscription_id', '=', subscription)
    .where((where) => where.or([where('leased_by', '=', lease), where('leased_by', 'is', null)]))
    .execute()
}

/**
 * For a subscription that becomes active again: continues after this position. Events of the time while it
 * was inactive are not sent; waiting deliveries are.
 */
export async function restartQueue(
  db: Kysely<Tables>,
  id: string,
  { position, sequence, id: event_id }: LogPosition,
): Promise<void> {
  await db
    .updateTable('webhook_queues')
    // ends the lease of a process that has the old position; that process releases the queue when none of its
    // requests is in flight
    .set({ position, sequence, event_id, leased_by: null, ...withoutPause })
    .where('webhook_subscription_id', '=', id)
    .execute()
}

/** Ends the pause of a queue, since its receiver may have changed: the next attempt is made at once. */
export async function resumeQueue(db: Kysely<Tables>, id: string): Promise<void> {
  await db.updateTable('webhook_queues').set(withoutPause).where('webhook_subscription_id', '=', id).execute()
}

/**
 * For a subscription that is deleted: ends the lease of the queue, so that no further delivery is recorded as
 * waiting, and fails those that wait.
 */
export async function closeQueue(db: Kysely<Tables>, id: string, now: string): Promise<void> {
  await db
    .updateTable('webhook_queues')
    .set({ leased_by: null })
    .where('webhook_subscription_id', '=', id)
    .execute()
  await failWaitingDeliveries(db, id, now)
}

/** Gives up the waiting deliveries of a subscription. */
export async function failWaitingDeliveries(
  db: Kysely<Tables>,
  subscription: string,
  now: string,
): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', due_at: null, updated_at: now })
    .where('webhook_subscription_id', '=', subscription)
    .where('status', '=', 'waiting')
    .execute()
}

const withoutPause = { resume_at: '-infinity', failures: 0, failing_since: null }
