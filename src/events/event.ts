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

type ShowingWorld = Pick<World, 'settings' | 'run' | 'eventTargets'>

/**
 * Functions that show events of the log with their whole targets, by the events' ids. The result is the same each
 * time, since deliveries are signed over it. A function throws if its event cannot be shown.
 */
export async function readEvents(
  world: ShowingWorld,
  rows: readonly EventRow[],
): Promise<Map<string, () => Event>> {
  const targets = await targetsOf(world, rows)
  return new Map(
    rows.map((row) => [
      row.id,
      () =>
        showEvent(world, { ...row, target: targets.get(row.id)?.() ?? { ...row.target, id: row.target_id } }),
    ]),
  )
}

/** Events of the log with their whole targets. */
export const showEvents = async (world: ShowingWorld, rows: readonly EventRow[]): Promise<Event[]> =>
  [...(await readEvents(world, rows)).values()].map((show) => show())
