import type { Kysely } from 'kysely'
import { timeOf } from '../../base/clock.ts'
import type { World } from '../../world.ts'
import type { ResourceTarget } from '../tables/events.ts'
import type { Tables } from '../tables.ts'

/**
 * An event of a resource for the merchant's systems (semantics §15.4). `target` is the resource in the API's
 * shape.
 */
interface ResourceEvent {
  account: string
  name: string
  target: ResourceTarget
}

/**
 * Writes an event to the log, with the next sequence number of its resource. `db` is the database transaction
 * of the change itself, so that they commit together; the row of the sequence stays locked until then, so
 * that no later event of the resource commits first.
 */
export async function recordEvent(
  db: Kysely<Tables>,
  { clock, ids }: Pick<World, 'clock' | 'ids'>,
  { account, name, target }: ResourceEvent,
): Promise<void> {
  const { last } = await db
    .insertInto('event_sequences')
    .values({ merchant_account_id: account, target_id: target.id, last: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['merchant_account_id', 'target_id'])
        .doUpdateSet((eb) => ({ last: eb('event_sequences.last', '+', 1) })),
    )
    .returning('last')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('events')
    .values({
      merchant_account_id: account,
      id: ids.next(),
      name,
      target_id: target.id,
      sequence: last,
      target: JSON.stringify(target),
      created_at: timeOf(clock),
    })
    .execute()
}
