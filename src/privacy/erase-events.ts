import { type Kysely, sql, type Transaction } from 'kysely'
import type { ResourceTarget } from '../database/tables/events.ts'
import type { Tables } from '../database/tables.ts'
import { erasedTarget } from './erased-rows.ts'
import type { EventPosition } from './find-payment-events.ts'

/** The same expressions as in the index `events_of_people`: PostgreSQL uses it for no others. */
const personOfEvent = sql`coalesce(target #>> '{buyer,id}', target ->> 'buyer_id', target ->> 'id')`
const isAboutPeople = sql`(name like 'buyer.%' or name like 'shipping-details.%' or name like 'payment-method.%' or name like 'gift-card.%' or name like 'payout.%' or name like 'payment-link.%')`

const BATCH = 200

interface StoredEvent extends EventPosition {
  target: ResourceTarget
}

/** The events that an erasure has found. */
export interface ErasedEvents {
  /** The resources of the events: a stored card that is deleted is found only by them. */
  targets: string[]
  events: string[]
}

/**
 * Erases personal data of all events about these people. `keys`: ids of buyers, or of resources without a
 * buyer.
 */
export async function eraseEventsOfPeople(
  db: Kysely<Tables>,
  account: string,
  keys: readonly string[],
): Promise<ErasedEvents> {
  const erased: ErasedEvents = { targets: [], events: [] }
  if (keys.length === 0) return erased
  let after = -1
  for (;;) {
    const rows = await eventsOfPeopleAfter(db, account, keys, after)
    await rewrite(db, account, rows)
    erased.targets.push(...rows.map(({ target }) => target.id))
    erased.events.push(...rows.map(({ id }) => id))
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return erased
    // a batch always has all events of its last position
    after = last.position
  }
}

/**
 * Erases personal data of the events of one payment link or payout. `buyer`: the id of its stored buyer; null: it has
 * none. Answers the ids of the events, also of those that were erased before.
 */
export async function eraseEventsOfResource(
  db: Kysely<Tables>,
  account: string,
  resource: string,
  buyer: string | null,
): Promise<string[]> {
  const { rows } = await sql<StoredEvent>`
    select position, sequence, id, target
      from events
     where merchant_account_id = ${account}
       and ${isAboutPeople}
       and ${personOfEvent} = ${buyer ?? resource}
       and target_id = ${resource}`.execute(db)
  await rewrite(db, account, rows)
  return rows.map(({ id }) => id)
}

/** A batch of these events after a position, with all events of its last position. */
async function eventsOfPeopleAfter(
  db: Kysely<Tables>,
  account: string,
  keys: readonly string[],
  after: number,
): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select position, sequence, id, target
      from events
     where merchant_account_id = ${account}
       and ${isAboutPeople}
       and ${personOfEvent} = any(${keys}::text[])
       and position > ${after}
     order by position
     fetch first ${sql.lit(BATCH)} rows with ties`.execute(db)
  return rows
}

/** Erases personal data of the events at these positions. */
export async function eraseEventsAt(
  db: Kysely<Tables>,
  account: string,
  positions: readonly EventPosition[],
): Promise<void> {
  if (positions.length === 0) return
  const { rows } = await sql<StoredEvent>`
    select e.position, e.sequence, e.id, e.target
      from events e
      join json_to_recordset(${JSON.stringify(positions)}::json) erased (position bigint, sequence int, id uuid)
        on e.position = erased.position
       and e.sequence = erased.sequence
       and e.id = erased.id
     where e.merchant_account_id = ${account}`.execute(db)
  await rewrite(db, account, rows)
}

async function rewrite(db: Kysely<Tables>, account: string, events: readonly StoredEvent[]): Promise<void> {
  const erased = events.flatMap(({ target, ...position }) => {
    const changed = erasedTarget(target)
    return JSON.stringify(changed) === JSON.stringify(target) ? [] : [{ ...position, target: changed }]
  })
  if (erased.length === 0) return
  await sql`
    update events e
       set target = erased.target
      from json_to_recordset(${JSON.stringify(erased)}::json) erased (position bigint, sequence int, id uuid, target json)
     where e.merchant_account_id = ${account}
       and e.position = erased.position
       and e.sequence = erased.sequence
       and e.id = erased.id`.execute(db)
}

/**
 * Erases the answers of webhook receivers to these events: they may repeat the data of the events. Call it after the
 * events are erased, in the same transaction or a later one: answers to requests that are under way are left out by
 * the statement that would store them (`writeDeliveryOutcomes`), since the row of its queue has changed. In one
 * transaction, so that such a statement waits for the row of its queue, and no deadlock arises over the deliveries. This
 * ends the turns of all queues of the account: call it once for many events.
 */
export async function eraseDeliveries(
  db: Transaction<Tables>,
  account: string,
  events: readonly string[],
): Promise<void> {
  if (events.length === 0) return
  const subscriptions = await db
    .selectFrom('webhook_subscriptions')
    .select('id')
    .where((where) =>
      where.or([where('merchant_account_id', '=', account), where('merchant_account_id', 'is', null)]),
    )
    .execute()
  const ids = subscriptions.map(({ id }) => id)
  // each erasure locks the queues in the same order
  await sql`
    update webhook_queues
       set erasures = erasures + 1
     where webhook_subscription_id in (
             select webhook_subscription_id
               from webhook_queues
              where webhook_subscription_id = any(${ids}::uuid[])
              order by webhook_subscription_id
                for update)`.execute(db)
  await sql`
    update webhook_deliveries
       set history = (select jsonb_agg(attempt || '{"response": null}' order by at)
                        from jsonb_array_elements(history) with ordinality attempts (attempt, at))
     where webhook_subscription_id = any(${ids}::uuid[])
       and id = any(${events}::uuid[])
       and jsonb_path_exists(history, '$[*].response ? (@ != null)')`.execute(db)
}
