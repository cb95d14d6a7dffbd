import { type Kysely, sql } from 'kysely'
import { isInCurrentTime } from '../../base/account-clock.ts'
import { timeOf } from '../../base/clock.ts'
import { horizonOf } from '../../database/logs/event-log.ts'
import type { WebhookAttempt } from '../../database/tables/events.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type { EventRow } from '../event.row.ts'
import type { LogPosition } from '../event-log.ts'

/** How long a process tends a queue without saying so again, in milliseconds. It is the machine's time that tells: an account's clock that is moved ends nobody's work. */
export const QUEUE_LEASE_MS = 20_000

/** A queue that this process tends, as it was when it took it. */
export interface LeasedQueue extends LogPosition {
  subscription: string
  /** Null: of the instance. */
  account: string | null
  /** Of this hold; another who takes the queue has another. */
  lease: string
  /** Attempts that have failed on end, and since when. */
  failures: number
  failingSince: string | null
}

const hasDue = sql`exists (select from webhook_deliveries d
  where d.webhook_subscription_id = q.webhook_subscription_id and d.status = 'waiting' and d.due_at <= now.at)`

const hasNewEvents = sql`exists (select from merchant_accounts a
  where (s.merchant_account_id is null or a.id = s.merchant_account_id)
    and exists (select from events e
      where e.merchant_account_id = a.id and (e.position, e.sequence, e.id) > (q.position, q.sequence, q.event_id) and e.position < now.horizon))`

/** Takes up to `limit` queues that have something to send, nobody tends and do not rest; longest untended first. Not those of `except`, which this process has. */
export async function leaseQueues(world: World, limit: number, except: string[]): Promise<LeasedQueue[]> {
  const machineNow = world.machineClock.now()
  const lease = world.ids.next()
  const horizon = await horizonOf(world)
  const { rows } = await sql<LeasedQueue>`
    with now as (select ${timeOf(world.clock)}::timestamptz as at, ${timeOf(world.machineClock)}::timestamptz as machine, ${horizon}::bigint as horizon),
    taken as (
      select q.webhook_subscription_id, s.merchant_account_id
        from webhook_queues q join webhook_subscriptions s on s.id = q.webhook_subscription_id, now
       where s.active and s.deleted_at is null and q.resume_at <= now.at and q.leased_until <= now.machine
         and q.webhook_subscription_id <> all(${except}::uuid[]) and ${isInCurrentTime('s.merchant_account_id')} and (${hasDue} or ${hasNewEvents})
       order by q.leased_until limit ${limit}
         for update of q skip locked)
    update webhook_queues q set leased_by = ${lease}, leased_until = ${new Date(machineNow + QUEUE_LEASE_MS).toISOString()}
      from taken where q.webhook_subscription_id = taken.webhook_subscription_id
    returning q.webhook_subscription_id as subscription, taken.merchant_account_id as account, q.leased_by as lease,
              q.position, q.sequence, q.event_id as id, q.failures, q.failing_since as "failingSince"`.execute(world.db)
  return rows
}

/** An event whose time has come: of the log beyond the place, or one that waited. */
export interface NewEvent extends EventRow {
  /** What became of it is written already: it was so when a process died, or it was asked for. */
  known: boolean
  /** An earlier one of its resource waits. */
  blocked: boolean
}

const selectWithDeliveryState = `select e.*,
  exists (select from webhook_deliveries d where d.webhook_subscription_id = $1 and d.id = e.id) as known,
  exists (select from webhook_deliveries d where d.webhook_subscription_id = $1 and d.status = 'waiting' and d.target_id = e.target_id) as blocked`

const afterPosition = `(e.position, e.sequence, e.id) > ($2::bigint, $3::int, $4::uuid) and e.position < $5::bigint`

const selectNewOfAccount = `${selectWithDeliveryState} from (
  select * from events e where merchant_account_id = $7 and ${afterPosition} order by position, sequence, id limit $6) e
order by position, sequence, id`

const selectNewOfInstance = `${selectWithDeliveryState} from (
  select e.* from merchant_accounts a, lateral (
    select * from events e where e.merchant_account_id = a.id and ${afterPosition} order by position, sequence, id limit $6) e
  order by position, sequence, id limit $6) e
order by position, sequence, id`

/** The next events of the log, in the order of their commits. */
export async function readNewEvents(world: World, { subscription, account }: LeasedQueue, place: LogPosition, limit: number): Promise<NewEvent[]> {
  const horizon = await horizonOf(world)
  const values = [subscription, place.position, place.sequence, place.id, horizon, limit]
  return account === null ? world.run<NewEvent>(selectNewOfInstance, values) : world.run<NewEvent>(selectNewOfAccount, [...values, account])
}

export interface DueEvent extends EventRow {
  tries: number
  give_up_at: string
}

const due = `
select e.*, d.tries, d.give_up_at
  from (select * from webhook_deliveries
         where webhook_subscription_id = $1 and status = 'waiting' and due_at <= $2 and id <> all($3::uuid[]) order by due_at limit $4) d
  join events e on e.merchant_account_id = d.merchant_account_id and e.position = d.position and e.sequence = d.sequence and e.id = d.id
 order by d.due_at, e.position, e.sequence, e.id`

/** Deliveries that waited and may be sent now; not those of `except`. */
export const readDue = (world: World, { subscription }: LeasedQueue, except: string[], limit: number): Promise<DueEvent[]> =>
  world.run<DueEvent>(due, [subscription, timeOf(world.clock), except, limit])

/** What became of an event, as it is written. */
export interface DeliveryOutcome extends Pick<EventRow, 'id' | 'merchant_account_id' | 'position' | 'sequence' | 'target_id' | 'created_at'> {
  event_name: string
  status: 'waiting' | 'succeeded' | 'failed'
  /** Null: it was not sent, since an earlier one of its resource waits. */
  attempt: WebhookAttempt | null
  tries: number
  due_at: string | null
  give_up_at: string
}

/** How a queue stands after its outcomes. */
export interface QueueState {
  logPosition: LogPosition
  leasedUntil: string
  resumeAt: string | null
  failures: number
  failingSince: string | null
}

/** Attempts that are kept of a delivery. */
const MAX_ATTEMPTS_KEPT = 20

const columns = sql`id, merchant_account_id, position, sequence, target_id, event_name, status, attempts, tries, history, due_at, give_up_at, created_at`

/**
 * Writes what became of events, how far the queue is, and holds it for longer. False: somebody else has it, and nothing is written. `targets`: the resources
 * of which something waits or waited.
 */
export async function writeDeliveryOutcomes(
  world: World,
  { subscription, lease }: LeasedQueue,
  { logPosition, leasedUntil, resumeAt, failures, failingSince }: QueueState,
  outcomes: readonly DeliveryOutcome[],
  targets: string[],
): Promise<boolean> {
  const now = timeOf(world.clock)
  const write = sql`
    with held as (
      update webhook_queues
         set position = ${logPosition.position}, sequence = ${logPosition.sequence}, event_id = ${logPosition.id}, leased_until = ${leasedUntil},
             resume_at = coalesce(${resumeAt}::timestamptz, '-infinity'), failures = ${failures}, failing_since = ${failingSince}::timestamptz
       where webhook_subscription_id = ${subscription} and leased_by = ${lease}
      returning webhook_subscription_id
    ), written as (
      insert into webhook_deliveries as known (webhook_subscription_id, ${columns}, updated_at)
      select webhook_subscription_id, ${columns}, ${now}::timestamptz
        from held, jsonb_to_recordset(${JSON.stringify(outcomes.map(toColumns))}::jsonb) as told (
          id uuid, merchant_account_id text, position bigint, sequence int, target_id uuid, event_name text, status text, attempts int, tries int,
          history jsonb, due_at timestamptz, give_up_at timestamptz, created_at timestamptz)
      on conflict (webhook_subscription_id, id) do update
         set status = ${unlessRetried('status')}, tries = ${unlessRetried('tries')}, due_at = ${unlessRetried('due_at')},
             attempts = known.attempts + excluded.attempts,
             history = case when jsonb_array_length(known.history) >= ${sql.lit(MAX_ATTEMPTS_KEPT)} then known.history - 0 else known.history end || excluded.history,
             updated_at = excluded.updated_at
       where excluded.attempts > 0
    )
    select webhook_subscription_id from held`
  if (targets.length === 0) return (await write.execute(world.db)).rows.length > 0
  return world.db.transaction().execute(async (db) => {
    const held = (await write.execute(db)).rows.length > 0
    if (held) await makeFirstOfEachResourceDue(db, subscription, targets, now)
    return held
  })
}

/** A delivery that was asked for again since it was taken up has another attempt before it, whatever became of this one. */
const unlessRetried = (column: 'status' | 'tries' | 'due_at') =>
  sql`case when known.give_up_at > excluded.give_up_at then known.${sql.ref(column)} else excluded.${sql.ref(column)} end`

const toColumns = ({ attempt, ...outcome }: DeliveryOutcome) => ({ ...outcome, attempts: attempt ? 1 : 0, history: attempt ? [attempt] : [] })

/** Of each resource's waiting deliveries the first is due, and only that. */
export async function makeFirstOfEachResourceDue(db: Kysely<Tables>, subscription: string, targets: string[], now: string): Promise<void> {
  await sql`
    with line as (
      select id, row_number() over (partition by merchant_account_id, target_id order by position, sequence, id) = 1 as first
        from webhook_deliveries
       where webhook_subscription_id = ${subscription} and status = 'waiting' and target_id = any(${targets}::uuid[]))
    update webhook_deliveries d set due_at = case when line.first then ${now}::timestamptz end
      from line
     where d.webhook_subscription_id = ${subscription} and d.id = line.id and line.first = (d.due_at is null)`.execute(db)
}

/** Others may tend the queue: nothing of this hold is under way any more, also where the queue was restarted meanwhile. */
export async function releaseQueue(world: World, { subscription, lease }: LeasedQueue): Promise<void> {
  await world.db
    .updateTable('webhook_queues')
    .set({ leased_by: null, leased_until: timeOf(world.machineClock) })
    .where('webhook_subscription_id', '=', subscription)
    .where((where) => where.or([where('leased_by', '=', lease), where('leased_by', 'is', null)]))
    .execute()
}

/** A subscription that becomes active again is told what happens from this place on; what happened in between is not sent, and what waits goes on. */
export async function restartQueue(db: Kysely<Tables>, id: string, { position, sequence, id: event_id }: LogPosition): Promise<void> {
  await db
    .updateTable('webhook_queues')
    // whoever tends it has the old place, and gives it back when nothing is under way any more
    .set({ position, sequence, event_id, leased_by: null, ...withoutPause })
    .where('webhook_subscription_id', '=', id)
    .execute()
}

/** Somebody may answer now where nobody did: knocks again at once. */
export async function resumeQueue(db: Kysely<Tables>, id: string): Promise<void> {
  await db.updateTable('webhook_queues').set(withoutPause).where('webhook_subscription_id', '=', id).execute()
}

/** Of a subscription that is deleted. Whoever tends the queue has lost it, so that nothing begins to wait after this. */
export async function closeQueue(db: Kysely<Tables>, id: string, now: string): Promise<void> {
  await db.updateTable('webhook_queues').set({ leased_by: null }).where('webhook_subscription_id', '=', id).execute()
  await failWaitingDeliveries(db, id, now)
}

/** Nobody will be told of what waits. */
export async function failWaitingDeliveries(db: Kysely<Tables>, subscription: string, now: string): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', due_at: null, updated_at: now })
    .where('webhook_subscription_id', '=', subscription)
    .where('status', '=', 'waiting')
    .execute()
}

const withoutPause = { resume_at: '-infinity', failures: 0, failing_since: null }
