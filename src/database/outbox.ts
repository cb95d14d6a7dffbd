import type { Kysely } from 'kysely'
import type { World } from '../world.ts'
import type { Tables } from './tables.ts'

/** Something that happened to a resource, as the merchant's systems are told (SEMANTICS §15.4). `target` is the resource in the API's shape. */
export interface ResourceEvent {
  account: string
  name: string
  target: { type: string; id: string }
}

/** Writes an event into the outbox. `db` is the database transaction of the change itself, so that there is never one without the other. */
export async function recordEvent(
  db: Kysely<Tables>,
  { clock, ids }: Pick<World, 'clock' | 'ids'>,
  { account, name, target }: ResourceEvent,
): Promise<void> {
  await db
    .insertInto('events')
    .values({
      merchant_account_id: account,
      id: ids.next(),
      name,
      target_type: target.type,
      target_id: target.id,
      target: JSON.stringify(target),
      created_at: new Date(clock.now()).toISOString(),
    })
    .execute()
}
