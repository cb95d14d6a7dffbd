import { type Kysely, type Selectable, sql } from 'kysely'
import type { PageRequest } from '../../api/pagination.ts'
import { timeOf } from '../../base/clock.ts'
import { horizonOf } from '../../database/logs/event-log.ts'
import { namedStatement } from '../../database/named-statement.ts'
import type { WebhookDeliveryTable } from '../../database/tables/events.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type { EventRow } from '../event.row.ts'
import { type LogPosition, logPositionOf, START_OF_LOG } from '../event-log.ts'
import type { WebhookSubscriptionRow } from '../subscriptions/webhook-subscription.store.ts'
import { GIVE_UP_AFTER_MS } from './back-off.ts'
import { makeFirstOfEachResourceDue } from './webhook-queue.store.ts'

export type WebhookDeliveryRow = Selectable<WebhookDeliveryTable>

export interface DeliveryFilter {
  status: WebhookDeliveryRow['status'] | null
  eventName: string | null
  /** The resource that the events are about. */
  resourceId: string | null
}

/** Each half is the condition of an index: `webhook_deliveries_waiting`, `webhook_deliveries_of_resource`. */
const tellsOf = (subscription: string, resource: string) => sql<boolean>`(
  (status = 'waiting' and webhook_subscription_id = ${subscription} and target_id = ${resource})
  or (status <> 'waiting' and target_id = ${resource}))`

/** The newest event first: the ids begin with the time. */
export function listDeliveries(
  world: World,
  subscription: string,
  { status, eventName, resourceId }: DeliveryFilter,
  { limit, position }: PageRequest,
) {
  const backwards = position?.direction === 'previous'
  return world.db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_subscription_id', '=', subscription)
    .$if(status !== null, (query) => query.where('status', '=', status ?? 'waiting'))
    .$if(eventName !== null, (query) => query.where('event_name', '=', eventName))
    .$if(resourceId !== null, (query) => query.where(tellsOf(subscription, resourceId ?? '')))
    .$if(position !== undefined, (query) => query.where('id', backwards ? '>' : '<', position?.id ?? ''))
    .orderBy('id', backwards ? 'asc' : 'desc')
    .limit(limit + 1)
    .execute()
}

export const findDelivery = (
  world: World,
  subscription: string,
  id: string,
): Promise<WebhookDeliveryRow | undefined> =>
  world.db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_subscription_id', '=', subscription)
    .where('id', '=', id)
    .executeTakeFirst()

/** The event of a delivery. */
export const eventOfDelivery = (
  world: World,
  { merchant_account_id, position, sequence, id }: WebhookDeliveryRow,
): Promise<EventRow | undefined> =>
  world.db
    .selectFrom('events')
    .selectAll()
    .where('merchant_account_id', '=', merchant_account_id)
    .where('position', '=', position)
    .where('sequence', '=', sequence)
    .where('id', '=', id)
    .executeTakeFirst()

/** Makes a delivery due at once, with another seven days. Undefined: there is no such delivery. */
export function retryDelivery(
  world: World,
  subscription: string,
  id: string,
): Promise<WebhookDeliveryRow | undefined> {
  const now = world.clock.now()
  return world.db.transaction().execute(async (db) => {
    await endQueuePause(db, subscription)
    const row = await db
      .updateTable('webhook_deliveries')
      .set({
        status: 'waiting',
        tries: 0,
        due_at: timeOf(world.clock),
        give_up_at: new Date(now + GIVE_UP_AFTER_MS).toISOString(),
        updated_at: timeOf(world.clock),
      })
      .where('webhook_subscription_id', '=', subscription)
      .where('id', '=', id)
      .returning('target_id')
      .executeTakeFirst()
    if (!row) return undefined
    await makeFirstOfEachResourceDue(db, subscription, [row.target_id], timeOf(world.clock))
    return findDelivery({ ...world, db }, subscription, id)
  })
}

/**
 * Ends the pause of the queue, since the merchant waits for the delivery. It also locks the queue's row, as
 * every writer of deliveries does, so that two of them never decide at the same time which delivery of a
 * resource is first.
 */
async function endQueuePause(db: Kysely<Tables>, subscription: string): Promise<void> {
  await db
    .updateTable('webhook_queues')
    .set({ resume_at: '-infinity' })
    .where('webhook_subscription_id', '=', subscription)
    .execute()
}

export interface ReplayRange {
  from: string
  /** Exclusive. */
  to: string
  /** Null: every event. */
  names: string[] | null
}

/** Events that one transaction makes due. */
const BATCH = 1_000

/**
 * Makes the events of a span of time due again, also those from before the subscription was created. Answers
 * how many events these are.
 */
export async function replayEvents(
  world: World,
  {
    id: subscription,
    merchant_account_id: account,
  }: Pick<WebhookSubscriptionRow, 'id' | 'merchant_account_id'>,
  events: ReplayRange,
): Promise<number> {
  const horizon = await horizonOf(world)
  const accounts =
    account === null
      ? (await world.db.selectFrom('merchant_accounts').select('id').orderBy('id').execute()).map(
          ({ id }) => id,
        )
      : [account]
  let count = 0
  for (const account of accounts) {
    for (let position: LogPosition | undefined = START_OF_LOG; position; ) {
      const rows = await readEventsInRange(world, account, events, position, horizon)
      if (rows.length > 0) await makeDue(world, subscription, rows)
      count += rows.length
      const last = rows.at(-1)
      position = last && rows.length === BATCH ? logPositionOf(last) : undefined
    }
  }
  return count
}

type LoggedEvent = Omit<EventRow, 'target'>

const selectEventsInRange = namedStatement(
  ['account', 'position', 'sequence', 'id', 'horizon', 'from', 'to', 'names'],
  (p) => `
select merchant_account_id, id, name, target_id, sequence, position, created_at
  from events
 where merchant_account_id = ${p.account}
   and (position, sequence, id) > (${p.position}::bigint, ${p.sequence}::int, ${p.id}::uuid)
   and position < ${p.horizon}::bigint
   and created_at >= ${p.from}::timestamptz
   and created_at < ${p.to}::timestamptz
   and (${p.names}::text[] is null or name = any(${p.names}))
 order by position, sequence, id
 limit ${BATCH}`,
)

const readEventsInRange = (
  world: World,
  account: string,
  { from, to, names }: ReplayRange,
  { position, sequence, id }: LogPosition,
  horizon: number,
) =>
  selectEventsInRange.run<LoggedEvent>(world, { account, position, sequence, id, horizon, from, to, names })

async function makeDue(world: World, subscription: string, events: readonly LoggedEvent[]): Promise<void> {
  const now = timeOf(world.clock)
  const giveUpAt = new Date(world.clock.now() + GIVE_UP_AFTER_MS).toISOString()
  await world.db.transaction().execute(async (db) => {
    await endQueuePause(db, subscription)
    await sql`
      insert into webhook_deliveries (webhook_subscription_id, id, merchant_account_id, position, sequence, target_id, event_name, status,
                                      attempts, tries, history, due_at, give_up_at, created_at, updated_at)
      select ${subscription}, e.id, e.merchant_account_id, e.position, e.sequence, e.target_id, e.name, 'waiting', 0, 0,
             '[]', ${now}::timestamptz, ${giveUpAt}::timestamptz, e.created_at, ${now}::timestamptz
        from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as e (
             id uuid, merchant_account_id text, position bigint, sequence int, target_id uuid, name text, created_at timestamptz)
      on conflict (webhook_subscription_id, id, merchant_account_id) do update
         set status = 'waiting',
             tries = 0,
             due_at = excluded.due_at,
             give_up_at = excluded.give_up_at,
             updated_at = excluded.updated_at`.execute(db)
    await makeFirstOfEachResourceDue(
      db,
      subscription,
      [...new Set(events.map(({ target_id }) => target_id))],
      now,
    )
  })
}
