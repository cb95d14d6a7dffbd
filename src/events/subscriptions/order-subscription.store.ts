import type { Kysely } from 'kysely'
import { timeOf } from '../../base/clock.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { closeQueue, restartQueue, resumeQueue } from '../delivery/webhook-queue.store.ts'
import type { LogPosition } from '../event-log.ts'
import {
  openWebhookSecrets,
  sealWebhookSecrets,
  type WebhookSubscriptionRow,
} from './webhook-subscription.store.ts'

export type { WebhookSubscriptionRow } from './webhook-subscription.store.ts'

// The subscription by which an AI agent's platform is told of an account's orders. It has the queue, the retries
// and the deliveries of every subscription; what it is sent is in `delivery/order-deliveries.ts`.

/** Undefined: nobody is told of the account's orders. */
export const findOrderSubscription = (
  db: Kysely<Tables>,
  account: string,
): Promise<WebhookSubscriptionRow | undefined> =>
  db
    .selectFrom('webhook_subscriptions')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('form', '=', 'agentic-order')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

/** What a merchant says of the receiver of orders: absent, it stays; null, there is none. */
type WantedReceiver = { url: string; secret?: string | null } | null | undefined

/** Whether the receiver is as it is wanted, so that there is nothing to write. */
export function isAsWanted(
  world: Pick<World, 'cipher'>,
  current: WebhookSubscriptionRow | undefined,
  wanted: WantedReceiver,
): boolean {
  if (!wanted || !current) return wanted === undefined || (wanted === null && !current)
  if (!current.active || current.url !== wanted.url) return false
  return !wanted.secret || openWebhookSecrets(world, current).signing[0] === wanted.secret
}

/**
 * The receiver of the account's orders from `start` on, active; `current` is the present one. A secret is not sent to another server than the
 * one that it was given for: `'secret missing'` for a new origin without one.
 */
export async function putOrderSubscription(
  world: Pick<World, 'cipher' | 'clock' | 'ids'>,
  db: Kysely<Tables>,
  account: string,
  current: WebhookSubscriptionRow | undefined,
  start: LogPosition,
  { url, secret }: { url: string; secret?: string | null },
): Promise<WebhookSubscriptionRow | 'secret missing'> {
  const now = timeOf(world.clock)
  if (!current) {
    if (!secret) return 'secret missing'
    const id = world.ids.next()
    const row = await db
      .insertInto('webhook_subscriptions')
      .values({
        id,
        merchant_account_id: account,
        url,
        active: true,
        authentication: null,
        secrets: sealWebhookSecrets(world, id, { signing: [secret], authentication: null }),
        creator: null,
        form: 'agentic-order',
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const { position, sequence, id: event_id } = start
    await db
      .insertInto('webhook_queues')
      .values({ webhook_subscription_id: id, position, sequence, event_id })
      .execute()
    return row
  }
  const [signing] = openWebhookSecrets(world, current).signing
  if (!secret && new URL(url).origin !== new URL(current.url).origin) return 'secret missing'
  if (!current.active) await restartQueue(db, current.id, start)
  else if (url !== current.url) await resumeQueue(db, current.id)
  return db
    .updateTable('webhook_subscriptions')
    .set({
      url,
      active: true,
      secrets: sealWebhookSecrets(world, current.id, {
        signing: [secret ?? signing ?? ''],
        authentication: null,
      }),
      updated_at: now,
    })
    .where('id', '=', current.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Answers undefined: nobody is told of the account's orders from now on. */
export async function deleteOrderSubscription(
  { clock }: Pick<World, 'clock'>,
  db: Kysely<Tables>,
  account: string,
): Promise<undefined> {
  const row = await findOrderSubscription(db, account)
  if (!row) return
  const now = timeOf(clock)
  await closeQueue(db, row.id, now)
  await db
    .updateTable('webhook_subscriptions')
    .set({ deleted_at: now, active: false, updated_at: now })
    .where('id', '=', row.id)
    .execute()
}
