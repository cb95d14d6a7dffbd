import type { Kysely, Selectable, Updateable } from 'kysely'
import type { PageRequest } from '../../api/pagination.ts'
import { timeOf } from '../../base/clock.ts'
import { type AuditAction, recordChange } from '../../database/logs/audit-log.ts'
import { newestFirst } from '../../database/newest-first.ts'
import type { WebhookSubscriptionTable } from '../../database/tables/events.ts'
import type { Tables } from '../../database/tables.ts'
import { isSame, wouldChange } from '../../database/would-change.ts'
import type { World } from '../../world.ts'
import { newSigningSecret } from '../delivery/signature.ts'
import { closeQueue, type LeasedQueue, restartQueue, resumeQueue } from '../delivery/webhook-queue.store.ts'
import { endOfLog } from '../event-log.ts'
import type { WebhookSubscriptionUpdate } from './webhook-subscription.schema.ts'
import type { VisibleSubscriptions, WebhookAuthentication } from './webhook-subscription.ts'

export type WebhookSubscriptionRow = Selectable<WebhookSubscriptionTable>

const PURPOSE = 'webhook-subscription-secrets'

/** The secrets of a subscription, as they are sealed. */
export interface WebhookSecrets {
  /** The newest first; the second lives until `rotating_until`. */
  signing: string[]
  authentication: WebhookAuthentication | null
}

export const sealWebhookSecrets = ({ cipher }: Pick<World, 'cipher'>, id: string, secrets: WebhookSecrets): Buffer =>
  cipher.seal(PURPOSE, JSON.stringify(secrets), id)

export const openWebhookSecrets = (
  { cipher }: Pick<World, 'cipher'>,
  { id, secrets }: Pick<WebhookSubscriptionRow, 'id' | 'secrets'>,
): WebhookSecrets => JSON.parse(cipher.open(PURPOSE, secrets, id))

export interface NewWebhookSubscription {
  /** Null: of the instance. */
  account: string | null
  url: string
  active: boolean
  authentication: WebhookAuthentication | null
  creator: { id: string; name: string; email_address: string } | null
}

/** What a command without a whole world needs, too. */
type SubscriptionWorld = Pick<World, 'db' | 'run' | 'cipher' | 'clock' | 'ids' | 'changes'>

/** Begins with what happens next. */
export async function insertWebhookSubscription(world: SubscriptionWorld, given: NewWebhookSubscription): Promise<WebhookSubscriptionRow> {
  const now = timeOf(world.clock)
  const id = world.ids.next()
  const place = await endOfLog(world)
  const row = await world.db.transaction().execute(async (db) => {
    const inserted = await db
      .insertInto('webhook_subscriptions')
      .values({
        id,
        merchant_account_id: given.account,
        url: given.url,
        active: given.active,
        authentication: given.authentication && JSON.stringify(withoutSecrets(given.authentication)),
        secrets: sealWebhookSecrets(world, id, { signing: [newSigningSecret()], authentication: given.authentication }),
        creator: given.creator && JSON.stringify(given.creator),
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await db
      .insertInto('webhook_queues')
      .values({ webhook_subscription_id: id, position: place.position, sequence: place.sequence, event_id: place.id })
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

/** What follows the path may be a credential. */
const withoutQuery = (url: string) => url.split('?')[0] ?? url

function withoutSecrets(authentication: WebhookAuthentication) {
  const { password: _, client_secret: __, ...shown } = { password: undefined, client_secret: undefined, ...authentication }
  return shown
}

/** Where and how a subscription's deliveries are sent. It stays in this process. */
export interface WebhookEndpoint {
  id: string
  /** Null: of the instance. */
  account: string | null
  url: string
  /** Live signing secrets, the newest first. */
  secrets: string[]
  authentication: WebhookAuthentication | null
}

export const toEndpoint = (world: Pick<World, 'cipher' | 'clock'>, row: WebhookSubscriptionRow): WebhookEndpoint => {
  const { signing, authentication } = openWebhookSecrets(world, row)
  return { id: row.id, account: row.merchant_account_id, url: row.url, secrets: signing.slice(0, isRotating(world, row) ? 2 : 1), authentication }
}

/** Whether the secret before signs, too. */
export const isRotating = ({ clock }: Pick<World, 'clock'>, { rotating_until: until }: WebhookSubscriptionRow): boolean =>
  until !== null && Date.parse(until) > clock.now()

/** Where a queue leads now. Undefined: its subscription is inactive or deleted, or somebody else may have the queue. */
export async function endpointOfLeasedQueue(
  world: World,
  { subscription, lease }: Pick<LeasedQueue, 'subscription' | 'lease'>,
): Promise<WebhookEndpoint | undefined> {
  const row = await world.db
    .selectFrom('webhook_subscriptions as s')
    .innerJoin('webhook_queues as q', 'q.webhook_subscription_id', 's.id')
    .selectAll('s')
    .where('s.id', '=', subscription)
    .where('s.active', '=', true)
    .where('s.deleted_at', 'is', null)
    .where('q.leased_by', '=', lease)
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
    .where('deleted_at', 'is', null)

export const findWebhookSubscription = (
  world: Pick<World, 'db'>,
  visible: VisibleSubscriptions,
  id: string,
): Promise<WebhookSubscriptionRow | undefined> => existingSubscriptions(world.db, visible).where('id', '=', id).executeTakeFirst()

/** Newest first. */
export const listWebhookSubscriptions = (
  world: Pick<World, 'db'>,
  visible: VisibleSubscriptions,
  page: PageRequest,
): Promise<WebhookSubscriptionRow[]> => existingSubscriptions(world.db, visible).$call(newestFirst(page)).execute()

/**
 * Undefined: there is none. `authenticate` gives the authentication after the change, undefined where it stays, or throws; the row is locked meanwhile, so
 * that two requests cannot each undo the other's secrets.
 */
export async function updateWebhookSubscription(
  world: SubscriptionWorld,
  visible: VisibleSubscriptions,
  id: string,
  { url, active }: WebhookSubscriptionUpdate,
  authenticate: (known: WebhookAuthentication | null, url: string) => WebhookAuthentication | null | undefined,
): Promise<WebhookSubscriptionRow | undefined> {
  const place = active ? await endOfLog(world) : undefined
  return changeSubscription(world, visible, id, 'updated', async (db, row) => {
    const secrets = openWebhookSecrets(world, row)
    const given = authenticate(secrets.authentication, row.url)
    // an authentication that is sent again changes nothing
    const authentication = isSame(given, secrets.authentication) ? undefined : given
    if (place && !row.active) await restartQueue(db, id, place)
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

/** The newest of the secrets before stays for `minutes`; 0: none does. Undefined: there is no such subscription. */
export const rotateSecret = (
  world: SubscriptionWorld,
  visible: VisibleSubscriptions,
  id: string,
  minutes: number,
): Promise<WebhookSubscriptionRow | undefined> =>
  changeSubscription(world, visible, id, 'updated', async (_db, row) => {
    const { signing, authentication } = openWebhookSecrets(world, row)
    const kept = minutes > 0 ? signing.slice(0, 1) : []
    return {
      secrets: sealWebhookSecrets(world, id, { signing: [newSigningSecret(), ...kept], authentication }),
      rotating_until: minutes > 0 ? new Date(world.clock.now() + minutes * 60_000).toISOString() : null,
    }
  })

/** False: there is none. Its deliveries stay; those that wait have failed. */
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

/** Changes a subscription under a lock of its row, and says who did. Undefined: there is none. */
async function changeSubscription(
  world: Omit<SubscriptionWorld, 'cipher'>,
  visible: VisibleSubscriptions,
  id: string,
  action: AuditAction,
  columns: (db: Kysely<Tables>, row: WebhookSubscriptionRow) => Promise<Updateable<WebhookSubscriptionTable>>,
): Promise<WebhookSubscriptionRow | undefined> {
  const row = await world.db.transaction().execute(async (db) => {
    const current = await existingSubscriptions(db, visible).where('id', '=', id).forUpdate().executeTakeFirst()
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
