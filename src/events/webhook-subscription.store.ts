import type { Selectable } from 'kysely'
import { recordChange } from '../database/audit-log.ts'
import type { WebhookSubscriptionTable } from '../database/tables.ts'
import { timeOf, type World } from '../world.ts'
import { endOfLog } from './event-log.ts'
import { newSecret } from './signature.ts'

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

/** Begins with what happens next. */
export async function insertWebhookSubscription(world: World, given: NewWebhookSubscription): Promise<WebhookSubscriptionRow> {
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
    await recordChange(db, world, {
      account: given.account ?? 'default',
      action: 'created',
      resource: { type: 'webhook-subscription', id, name: given.url },
    })
    return inserted
  })
  await world.changes.announce('webhook_subscriptions')
  return row
}

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
  const isRotating = row.rotating_until !== null && Date.parse(row.rotating_until) > world.clock.now()
  return { id: row.id, account: row.merchant_account_id, url: row.url, secrets: signing.slice(0, isRotating ? 2 : 1), authentication }
}

/** One that is active and not deleted, as it is now. */
export async function liveEndpoint(world: World, id: string): Promise<WebhookEndpoint | undefined> {
  const row = await world.db
    .selectFrom('webhook_subscriptions')
    .selectAll()
    .where('id', '=', id)
    .where('active', '=', true)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && toEndpoint(world, row)
}
