import type { Kysely, Selectable } from 'kysely'
import { invalid } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import { wouldChange } from '../../database/rows/would-change.ts'
import type { AgenticSellerTable } from '../../database/tables/checkout.ts'
import type { Tables } from '../../database/tables.ts'
import { newSigningSecret } from '../../events/delivery/signature.ts'
import { endOfLog } from '../../events/event-log.ts'
import {
  deleteOrderSubscription,
  findOrderSubscription,
  isAsWanted,
  putOrderSubscription,
  type WebhookSubscriptionRow,
} from '../../events/subscriptions/order-subscription.store.ts'
import type { World } from '../../world.ts'
import type { AgenticSeller, AgenticSellerUpdate } from './seller.schema.ts'

export type AgenticSellerRow = Selectable<AgenticSellerTable>

const PURPOSE = 'agentic-seller-secret'

/** The secret that requests to the merchant's endpoint are signed with. */
export const sellerSecret = (
  { cipher }: Pick<World, 'cipher'>,
  { id, secrets }: Pick<AgenticSellerRow, 'id' | 'secrets'>,
): string => cipher.open(PURPOSE, secrets, id)

/** Undefined: the account does not sell through AI agents. */
export const findSeller = (
  { db }: { db: Kysely<Tables> },
  account: string,
): Promise<AgenticSellerRow | undefined> =>
  db.selectFrom('agentic_sellers').selectAll().where('merchant_account_id', '=', account).executeTakeFirst()

export async function readSeller(world: World, account: string): Promise<AgenticSeller | undefined> {
  const row = await findSeller(world, account)
  return row && show(world, row, await findOrderSubscription(world.db, account))
}

/** Creates or changes how the account sells. Throws 400 if a receiver of orders lacks its secret. */
export async function putSeller(
  world: World,
  account: string,
  { pricing_url, intent = 'capture', order_events }: AgenticSellerUpdate,
): Promise<AgenticSeller> {
  const now = timeOf(world.clock)
  const start = await endOfLog(world)
  const seller = await world.db.transaction().execute(async (db) => {
    const known = await db
      .selectFrom('agentic_sellers')
      .selectAll()
      .where('merchant_account_id', '=', account)
      .forUpdate()
      .executeTakeFirst()
    const receiver = await findOrderSubscription(db, account)
    if (known && !wouldChange(known, { pricing_url, intent }) && isAsWanted(world, receiver, order_events))
      return show(world, known, receiver)
    const id = world.ids.next()
    const secrets = world.cipher.seal(PURPOSE, newSigningSecret(), id)
    const row = await db
      .insertInto('agentic_sellers')
      .values({
        merchant_account_id: account,
        id,
        pricing_url,
        intent,
        secrets,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) =>
        conflict.column('merchant_account_id').doUpdateSet({ pricing_url, intent, updated_at: now }),
      )
      .returningAll()
      .executeTakeFirstOrThrow()
    const orders =
      order_events === undefined
        ? receiver
        : order_events === null
          ? await deleteOrderSubscription(world, db, account)
          : await putOrderSubscription(world, db, account, receiver, start, order_events)
    if (orders === 'secret missing')
      throw invalid({
        '/order_events/secret': 'is required for a new receiver, and for one of another origin',
      })
    await recordChange(db, world, {
      account,
      action: row.id === id ? 'created' : 'updated',
      resource: { type: 'agentic-seller', id: row.id, name: null },
    })
    return show(world, row, orders)
  })
  world.changes.invalidate('webhook_subscriptions')
  return seller
}

/** Carts are not priced any more, and nothing more is sent of orders. False: the account was no seller. */
export async function deleteSeller(world: World, account: string): Promise<boolean> {
  const deleted = await world.db.transaction().execute(async (db) => {
    const row = await db
      .deleteFrom('agentic_sellers')
      .where('merchant_account_id', '=', account)
      .returning('id')
      .executeTakeFirst()
    if (!row) return false
    await deleteOrderSubscription(world, db, account)
    await recordChange(db, world, {
      account,
      action: 'deleted',
      resource: { type: 'agentic-seller', id: row.id, name: null },
    })
    return true
  })
  if (deleted) world.changes.invalidate('webhook_subscriptions')
  return deleted
}

const show = (
  world: World,
  row: AgenticSellerRow,
  orders: WebhookSubscriptionRow | undefined,
): AgenticSeller => ({
  type: 'agentic-seller',
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  pricing_url: row.pricing_url,
  secret: sellerSecret(world, row),
  intent: row.intent,
  order_events: orders
    ? { url: orders.url, active: orders.active, webhook_subscription_id: orders.id }
    : null,
  created_at: row.created_at,
  updated_at: row.updated_at,
})
