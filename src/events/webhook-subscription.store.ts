import type { Kysely, Selectable, Updateable } from 'kysely'
import type { PageRequest } from '../api/pagination.ts'
import { type AuditAction, recordChange } from '../database/audit-log.ts'
import { newestFirst } from '../database/newest-first.ts'
import type { WebhookSubscriptionTable } from '../database/tables/events.ts'
import type { Tables } from '../database/tables.ts'
import { isSame, wouldChange } from '../database/would-change.ts'
import { timeOf, type World } from '../world.ts'
import { endOfLog } from './event-log.ts'
import { newSecret } from './signature.ts'
import { closeQueue, type HeldQueue, restartQueue, resumeQueue } from './webhook-queue.store.ts'
import type { WebhookSubscriptionUpdate } from './webhook-subscription.schema.ts'
import type { Visible } from './webhook-subscription.ts'

export type WebhookSubscriptionRow = Selectable<WebhookSubscriptionTable>

const PURPOSE = 'webhook-subscription-secrets'

/** What a receiver asks for besides the signature (SEMANTICS §15.1). */
export type WebhookAuthentication =
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'oauth_client_credentials'; client_id: string; client_secret: string; token_url: string; scope: string | null }
  | {
      kind: 'oauth_password'
      client_id: string
      client_secret: string
      token_url: string
      scope: string | null
      username: string
      password: string
    }

/** The secrets of a subscription, as they are sealed. */
export interface WebhookSecrets {
  /** The newest first; the second lives until `rotating_until`. */
  signing: string[]
  authentication: WebhookAuthentication | null
}

export const sealSecrets = ({ cipher }: Pick<World, 'cipher'>, id: string, secrets: WebhookSecrets): Buffer =>
  cipher.seal(PURPOSE, JSON.stringify(secrets), id)

export const openSecrets = ({ cipher }: Pick<World, 'cipher'>, { id, secrets }: Pick<WebhookSubscriptionRow, 'id' | 'secrets'>): WebhookSecrets =>
  JSON.parse(cipher.open(PURPOSE, secrets, id))

export interface NewWebhookSubscription {
  /** Null: of the instance. */
  account: string | null
  url: string
  active: boolean
  authentication: WebhookAuthentication | null
  creator: { id: string; name: string; email_address: string } | null
}

/** What a command without a whole world needs, too. */
type Here = Pick<World, 'db' | 'run' | 'cipher' | 'clock' | 'ids' | 'changes'>

/** Begins with what happens next. */
export async function insertWebhookSubscription(world: Here, given: NewWebhookSubscription): Promise<WebhookSubscriptionRow> {
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
        secrets: sealSecrets(world, id, { signing: [newSecret()], authentication: given.authentication }),
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
    await noteChange(db, world, 'created', inserted)
    return inserted
  })
  world.changes.forget('webhook_subscriptions')
  return row
}

const noteChange = (
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
  const { signing, authentication } = openSecrets(world, row)
  return { id: row.id, account: row.merchant_account_id, url: row.url, secrets: signing.slice(0, isRotating(world, row) ? 2 : 1), authentication }
}

/** Whether the secret before signs, too. */
export const isRotating = ({ clock }: Pick<World, 'clock'>, { rotating_until: until }: WebhookSubscriptionRow): boolean =>
  until !== null && Date.parse(until) > clock.now()

/** Where a queue leads now. Undefined: its subscription is inactive or deleted, or somebody else may have the queue. */
export async function heldEndpoint(
  world: World,
  { subscription, lease }: Pick<HeldQueue, 'subscription' | 'lease'>,
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

const live = (db: Kysely<Tables>, { account, ofInstance }: Visible) =>
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

export const findWebhookSubscription = (world: Pick<World, 'db'>, visible: Visible, id: string): Promise<WebhookSubscriptionRow | undefined> =>
  live(world.db, visible).where('id', '=', id).executeTakeFirst()

/** Newest first. */
export const listWebhookSubscriptions = (world: Pick<World, 'db'>, visible: Visible, page: PageRequest): Promise<WebhookSubscriptionRow[]> =>
  live(world.db, visible).$call(newestFirst(page)).execute()

/**
 * Undefined: there is none. `authenticate` gives the authentication after the change, undefined where it stays, or throws; the row is locked meanwhile, so
 * that two requests cannot each undo the other's secrets.
 */
export async function updateWebhookSubscription(
  world: Here,
  visible: Visible,
  id: string,
  { url, active }: WebhookSubscriptionUpdate,
  authenticate: (known: WebhookAuthentication | null, url: string) => WebhookAuthentication | null | undefined,
): Promise<WebhookSubscriptionRow | undefined> {
  const place = active ? await endOfLog(world) : undefined
  return change(world, visible, id, 'updated', async (db, row) => {
    const secrets = openSecrets(world, row)
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
        secrets: sealSecrets(world, id, { ...secrets, authentication }),
      }),
    }
  })
}

/** The newest of the secrets before stays for `minutes`; 0: none does. Undefined: there is no such subscription. */
export const rotateSecret = (world: Here, visible: Visible, id: string, minutes: number): Promise<WebhookSubscriptionRow | undefined> =>
  change(world, visible, id, 'updated', async (_db, row) => {
    const { signing, authentication } = openSecrets(world, row)
    const kept = minutes > 0 ? signing.slice(0, 1) : []
    return {
      secrets: sealSecrets(world, id, { signing: [newSecret(), ...kept], authentication }),
      rotating_until: minutes > 0 ? new Date(world.clock.now() + minutes * 60_000).toISOString() : null,
    }
  })

/** False: there is none. Its deliveries stay; those that wait have failed. */
export async function deleteWebhookSubscription(world: Omit<Here, 'cipher'>, visible: Visible, id: string): Promise<boolean> {
  const now = timeOf(world.clock)
  const row = await change(world, visible, id, 'deleted', async (db) => {
    await closeQueue(db, id, now)
    return { deleted_at: now, active: false }
  })
  return row !== undefined
}

/** Changes a subscription under a lock of its row, and says who did. Undefined: there is none. */
async function change(
  world: Omit<Here, 'cipher'>,
  visible: Visible,
  id: string,
  action: AuditAction,
  columns: (db: Kysely<Tables>, row: WebhookSubscriptionRow) => Promise<Updateable<WebhookSubscriptionTable>>,
): Promise<WebhookSubscriptionRow | undefined> {
  const row = await world.db.transaction().execute(async (db) => {
    const current = await live(db, visible).where('id', '=', id).forUpdate().executeTakeFirst()
    if (!current) return undefined
    const next = await columns(db, current)
    if (!('secrets' in next) && !wouldChange(current, next)) return current
    const changed = await db
      .updateTable('webhook_subscriptions')
      .set({ ...next, updated_at: timeOf(world.clock) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await noteChange(db, world, action, changed)
    return changed
  })
  if (row) world.changes.forget('webhook_subscriptions')
  return row
}
