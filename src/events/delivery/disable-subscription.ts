import { sql } from 'kysely'
import { timeOf } from '../../base/clock.ts'
import { horizonOf } from '../../database/logs/event-log.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import type { World } from '../../world.ts'
import type { EventRow } from '../event.row.ts'
import { type LogPosition, logPositionOf } from '../event-log.ts'
import { GIVE_UP_AFTER_MS } from './back-off.ts'
import { toOrders } from './order-deliveries.ts'
import { readNewEvents } from './queued-events.store.ts'
import { failWaitingDeliveries, type LeasedQueue, QUEUE_LEASE_MS } from './webhook-queue.store.ts'

/** Rows that one statement writes. */
const BATCH = 1_000

/**
 * For a receiver that has failed for seven days. Each event after `position` becomes a failed delivery, so
 * that the merchant can retry it; then the subscription becomes inactive, and an event says so. If the
 * process dies before that, the subscription is still active, and the next failure continues here.
 */
export async function disableSubscription(
  world: World,
  queue: LeasedQueue,
  position: LogPosition,
): Promise<void> {
  for (let failedUpTo = position; ; ) {
    const found = await readNewEvents(
      world,
      queue,
      { after: failedUpTo, horizon: await horizonOf(world) },
      BATCH,
    )
    const last = found.at(-1)
    if (!last) break
    failedUpTo = logPositionOf(last)
    const { fresh: events } =
      queue.form === 'agentic-order'
        ? await toOrders(world, queue, { waiting: [], fresh: found })
        : { fresh: found }
    const unsent = events.filter(({ state }) => state !== 'recorded')
    if (!(await failUnsentEvents(world, queue, failedUpTo, unsent))) return
  }
  const now = timeOf(world.clock)
  const disabled = await world.db.transaction().execute(async (db) => {
    // locked before its queue, as every change of a subscription does
    const row = await db
      .selectFrom('webhook_subscriptions')
      .select(['id', 'merchant_account_id', 'url'])
      .where('id', '=', queue.subscription)
      .where('active', '=', true)
      .where('deleted_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (!row) return false
    const leased = await db
      .updateTable('webhook_queues')
      .set({
        leased_by: null,
        leased_until: timeOf(world.machineClock),
        resume_at: '-infinity',
        failures: 0,
        failing_since: null,
      })
      .where('webhook_subscription_id', '=', queue.subscription)
      .where('leased_by', '=', queue.lease)
      .returning('webhook_subscription_id')
      .executeTakeFirst()
    if (!leased) return false
    await db
      .updateTable('webhook_subscriptions')
      .set({ active: false, updated_at: now })
      .where('id', '=', row.id)
      .execute()
    await failWaitingDeliveries(db, queue.subscription, now)
    const target = { type: 'webhook-subscription', ...row, active: false }
    await recordEvent(db, world, {
      account: row.merchant_account_id ?? 'default',
      name: 'webhook-subscription.disabled',
      target,
    })
    return true
  })
  if (!disabled) return
  world.changes.invalidate('webhook_subscriptions')
  world.log.warn(
    { subscription: queue.subscription },
    'a webhook subscription was made inactive: its receiver has failed for seven days',
  )
}

/**
 * Writes a failed delivery for each event without one, and moves the queue to `position`. False: the lease is
 * lost, and nothing is written.
 */
async function failUnsentEvents(
  world: World,
  { subscription, lease }: LeasedQueue,
  { position, sequence, id }: LogPosition,
  events: EventRow[],
): Promise<boolean> {
  const now = world.clock.now()
  const withoutTargets = events.map(({ target: _, ...event }) => event)
  const { rows } = await sql`
    with leased as (
      update webhook_queues
         set position = ${position},
             sequence = ${sequence},
             event_id = ${id},
             leased_until = ${new Date(world.machineClock.now() + QUEUE_LEASE_MS).toISOString()}
       where webhook_subscription_id = ${subscription}
         and leased_by = ${lease}
      returning webhook_subscription_id
    ), written as (
      insert into webhook_deliveries (webhook_subscription_id, id, merchant_account_id, position, sequence, target_id, event_name, status,
                                      attempts, tries, history, give_up_at, created_at, updated_at)
      select webhook_subscription_id, e.id, e.merchant_account_id, e.position, e.sequence, e.target_id, e.name, 'failed', 0, 0,
             '[]', e.created_at + ${GIVE_UP_AFTER_MS} * interval '1 millisecond', e.created_at, ${new Date(now).toISOString()}::timestamptz
        from leased, jsonb_to_recordset(${JSON.stringify(withoutTargets)}::jsonb) as e (
               id uuid, merchant_account_id text, position bigint, sequence int, target_id uuid, name text, created_at timestamptz)
      on conflict do nothing
    )
    select webhook_subscription_id from leased`.execute(world.db)
  return rows.length > 0
}
