import type { Kysely, Selectable, Updateable } from 'kysely'
import type { PageRequest } from '../../api/pagination.ts'
import { timeOf } from '../../base/clock.ts'
import { type AuditAction, recordChange } from '../../database/logs/audit-log.ts'
import { newestFirst } from '../../database/rows/newest-first.ts'
import { isSame, wouldChange } from '../../database/rows/would-change.ts'
import type { WebhookSubscriptionTable } from '../../database/tables/events.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { newSigningSecret } from '../delivery/signature.ts'
import { closeQueue, type LeasedQueue, restartQueue, resumeQueue } from '../delivery/webhook-queue.store.ts'
import { endOfLog } from '../event-log.ts'
import type { WebhookSubscriptionUpdate } from './webhook-subscription.schema.ts'
import type { VisibleSubscriptions, WebhookAuthentication } from './webhook-subscription.ts'

export type WebhookSubscriptionRow = Selectable<WebhookSubscriptionTable>

const PURPOSE = 'webhook-subscription-secrets'

/** The secrets of a subscription, before they are sealed. */
export interface WebhookSecrets {
  /** The newest first; the second lives until `rotating_until`. */
  signing: string[]
  authentication: WebhookAuthentication | null
}

export const sealWebhookSecrets = (
  { cipher }: Pick<World, 'cipher'>,
  id: string,
  secrets: WebhookSecrets,
): Buffer => cipher.seal(PURPOSE, JSON.stringify(secrets), id)

export const openWebhookSecrets = (
  { cipher }: Pick<World, 'cipher'>,
  { id, secrets }: Pick<WebhookSubscriptionRow, 'id' | 'secrets'>,
): WebhookSecrets => JSON.parse(cipher.open(PURPOSE, secrets, id))

export interface NewWebhookSubscription {
  /** Null: a subscription of the instance, for the events of all accounts. */
  account: string | null
  url: string
  active: boolean
  authentication: WebhookAuthentication | null
  creator: { id: string; name: string; email_address: string } | null
}

/** The part of the world that a command line has, too. */
type SubscriptionWorld = Pick<World, 'db' | 'run' | 'cipher' | 'clock' | 'ids' | 'changes'>

/** Creates a subscription. It receives the events that are committed from now on. */
export async function insertWebhookSubscription(
  world: SubscriptionWorld,
  { account, url, active, authentication, creator }: NewWebhookSubscription,
): Promise<WebhookSubscriptionRow> {
  const now = timeOf(world.clock)
  const id = world.ids.next()
  const start = await endOfLog(world)
  const row = await world.db.transaction().execute(async (db) => {
    const inserted = await db
      .insertInto('webhook_subscriptions')
      .values({
        id,
        merchant_account_id: account,
        url,
        active,
        authentication: authentication && JSON.stringify(withoutSecrets(authentication)),
        secrets: sealWebhookSecrets(world, id, { signing: [newSigningSecret()], authentication }),
        creator: creator && JSON.stringify(creator),
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await db
      .insertInto('webhook_queues')
      .values({
        webhook_subscription_id: id,
        position: start.position,
        sequence: start.sequence,
        event_id: start.id,
      })
      .execute()
    await recordSubscriptionChange(db, world, 'created', inserted)
    return inserted
  })
  world.changes.invalidate('webhook_subscriptions')
  return row
}

const recordSubscriptionChange = (
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  action: AuditAction,
  { id, merchant_account_id, url }: WebhookSubscriptionRow,
) =>
  recordChange(db, world, {
    account: merchant_account_id ?? 'default',
    action,
    resource: { type: 'webhook-subscription', id, name: withoutQuery(url) },
  })

/** The query of a URL may hold a credential. */
const withoutQuery = (url: string) => url.split('?')[0] ?? url

function withoutSecrets(authentication: WebhookAuthentication) {
  const {
    password: _,
    client_secret: __,
    ...rest
  } = { password: undefined, client_secret: undefined, ...authentication }
  return rest
}

/**
 * Where and how a subscription's deliveries are sent. It holds secrets in the clear, so it never leaves the
 * process.
 */
export interface WebhookEndpoint {
  id: string
  /** Null: a subscription of the instance. */
  account: string | null
  url: string
  /** The signing secrets that are valid now, the newest first. */
  secrets: string[]
  authentication: WebhookAuthentication | null
  /** It is sent orders of agentic checkouts in place of events. */
  isSentOrders?: true
}

export const toEndpoint = (
  world: Pick<World, 'cipher' | 'clock'>,
  row: WebhookSubscriptionRow,
): WebhookEndpoint => {
  const { signing, authentication } = openWebhookSecrets(world, row)
  return {
    id: row.id,
    account: row.merchant_account_id,
    url: row.url,
    secrets: signing.slice(0, isRotating(world, row) ? 2 : 1),
    authentication,
    ...(row.form === 'agentic-order' && { isSentOrders: true }),
  }
}

/** Whether the previous secret still signs, too. */
export const isRotating = (
  { clock }: Pick<World, 'clock'>,
  { rotating_until: until }: WebhookSubscriptionRow,
): boolean => until !== null && Date.parse(until) > clock.now()

/**
 * The present endpoint of a leased queue. Undefined: its subscription is inactive or deleted, or the lease is
 * lost.
 */
export async function endpointOfLeasedQueue(
  world: World,
  { subscription, lease, erasures }: Pick<LeasedQueue, 'subscription' | 'lease' | 'erasures'>,
): Promise<WebhookEndpoint | undefined> {
  const row = await world.db
    .selectFrom('webhook_subscriptions as s')
    .innerJoin('webhook_queues as q', 'q.webhook_subscription_id', 's.id')
    .selectAll('s')
    .where('s.id', '=', subscription)
    .where('s.active', '=', true)
    .where('s.deleted_at', 'is', null)
    .where('q.leased_by', '=', lease)
    .where('q.erasures', '=', erasures)
    .executeTakeFirst()
  return row && toEndpoint(world, row)
}

const existingSubscriptions = (db: Kysely<Tables>, { account, ofInstance }: VisibleSubscriptions) =>
  db
    .selectFrom('webhook_subscriptions')
    .selectAll()
    .where((where) =>
      where.or([
        ...(account === null ? [] : [where('merchant_account_id', '=', account)]),
        ...(ofInstance ? [where('merchant_account_id', 'is', null)] : []),
      ]),
    )
    // a subscription of orders belongs to `/agentic-seller`
    .where('form', '=', 'event')
    .where('deleted_at', 'is', null)

export const findWebhookSubscription = (
  world: Pick<World, 'db'>,
  visible: VisibleSubscriptions,
  id: string,
): Promise<WebhookSubscriptionRow | undefined> =>
  existingSubscriptions(world.db, visible).where('id', '=', id).executeTakeFirst()

/** Newest first. */
export const listWebhookSubscriptions = (
  world: Pick<World, 'db'>,
  visible: VisibleSubscriptions,
  page: PageRequest,
): Promise<WebhookSubscriptionRow[]> =>
  existingSubscriptions(world.db, visible).$call(newestFirst(page)).execute()

/**
 * Changes a subscription. Undefined: there is no such subscription. `authenticate` answers the new
 * authentication, undefined if it stays, or throws. It runs while the row is locked, so that two requests
 * cannot undo each other's secrets.
 */
export async function updateWebhookSubscription(
  world: SubscriptionWorld,
  visible: VisibleSubscriptions,
  id: string,
  { url, active }: WebhookSubscriptionUpdate,
  authenticate: (
    current: WebhookAuthentication | null,
    url: string,
  ) => WebhookAuthentication | null | undefined,
): Promise<WebhookSubscriptionRow | undefined> {
  const restartAt = active ? await endOfLog(world) : undefined
  return changeSubscription(world, visible, id, 'updated', async (db, row) => {
    const secrets = openWebhookSecrets(world, row)
    const next = authenticate(secrets.authentication, row.url)
    // a request that repeats the present authentication changes nothing
    const authentication = isSame(next, secrets.authentication) ? undefined : next
    if (restartAt && !row.active) await restartQueue(db, id, restartAt)
    else if (authentication !== undefined || (url ?? row.url) !== row.url) await resumeQueue(db, id)
    return {
      ...(typeof url === 'string' && { url }),
      ...(typeof active === 'boolean' && { active }),
      ...(authentication !== undefined && {
        authentication: authentication && JSON.stringify(withoutSecrets(authentication)),
        secrets: sealWebhookSecrets(world, id, { ...secrets, authentication }),
      }),
    }
  })
}

/**
 * Makes a new signing secret. The present one signs beside it for `minutes`; 0: it does not. Undefined: there
 * is no such subscription.
 */
export const rotateSecret = (
  world: SubscriptionWorld,
  visible: VisibleSubscriptions,
  id: string,
  minutes: number,
): Promise<WebhookSubscriptionRow | undefined> =>
  changeSubscription(world, visible, id, 'updated', async (_db, row) => {
    const { signing, authentication } = openWebhookSecrets(world, row)
    const previous = minutes > 0 ? signing.slice(0, 1) : []
    return {
      secrets: sealWebhookSecrets(world, id, { signing: [newSigningSecret(), ...previous], authentication }),
      rotating_until: minutes > 0 ? new Date(world.clock.now() + minutes * 60_000).toISOString() : null,
    }
  })

/** False: there is no such subscription. Its deliveries stay; those that wait become failed. */
export async function deleteWebhookSubscription(
  world: Omit<SubscriptionWorld, 'cipher'>,
  visible: VisibleSubscriptions,
  id: string,
): Promise<boolean> {
  const now = timeOf(world.clock)
  const row = await changeSubscription(world, visible, id, 'deleted', async (db) => {
    await closeQueue(db, id, now)
    return { deleted_at: now, active: false }
  })
  return row !== undefined
}

/**
 * Locks a subscription's row, changes it, and records the change in the audit log. Undefined: there is no
 * such subscription.
 */
async function changeSubscription(
  world: Omit<SubscriptionWorld, 'cipher'>,
  visible: VisibleSubscriptions,
  id: string,
  action: AuditAction,
  columns: (db: Kysely<Tables>, row: WebhookSubscriptionRow) => Promise<Updateable<WebhookSubscriptionTable>>,
): Promise<WebhookSubscriptionRow | undefined> {
  const row = await world.db.transaction().execute(async (db) => {
    const current = await existingSubscriptions(db, visible)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!current) return undefined
    const next = await columns(db, current)
    if (!('secrets' in next) && !wouldChange(current, next)) return current
    const changed = await db
      .updateTable('webhook_subscriptions')
      .set({ ...next, updated_at: timeOf(world.clock) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordSubscriptionChange(db, world, action, changed)
    return changed
  })
  if (row) world.changes.invalidate('webhook_subscriptions')
  return row
}
