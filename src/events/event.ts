import type { ResourceTarget } from '../database/tables/events.ts'
import type { World } from '../world.ts'
import type { EventRow } from './event.row.ts'
import type { Event } from './event.schema.ts'
import { targetsOf } from './event-target.ts'

/** An event as the merchant's systems see it, in a delivery and in the feed (semantics §15.2). */
export const showEvent = (
  { settings }: Pick<World, 'settings'>,
  row: Omit<EventRow, 'target' | 'target_id' | 'position'> & { target: ResourceTarget },
): Event => ({
  type: 'event',
  id: row.id,
  name: row.name,
  merchant_account_id: row.merchant_account_id,
  svc_id: settings.instanceId,
  environment: settings.environment,
  created_at: row.created_at,
  sequence: row.sequence,
  target: row.target,
})

/**
 * Events of the log, with their whole targets. The result is the same each time, since deliveries are signed
 * over it.
 */
export async function showEvents(
  world: Pick<World, 'settings' | 'run' | 'eventTargets'>,
  rows: readonly EventRow[],
): Promise<Event[]> {
  const targets = await targetsOf(world, rows)
  return rows.map((row) =>
    showEvent(world, { ...row, target: targets.get(row.id) ?? { ...row.target, id: row.target_id } }),
  )
}
