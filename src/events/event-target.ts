import type { Statements } from '../database/statements.ts'
import type { ResourceTarget } from '../database/tables/events.ts'
import { timestamp } from '../database/timestamp.ts'
import type { EventRow } from './event.row.ts'

/**
 * Makes of what events keep of a resource the whole resource in the shape of the API, as it was then: a target for each id of an event. What an event keeps is what
 * changes; the rest is read from the resource's row. An event that it answers nothing for is shown as it is kept.
 */
export type CompleteTargets = (world: { run: Statements }, events: readonly EventRow[]) => Promise<ReadonlyMap<string, ResourceTarget>>

/** By the type of the target; what is kept of other types is whole. */
export type EventTargets = Readonly<Partial<Record<string, CompleteTargets>>>

/** The targets of events, by the events' ids. The same event has the same target each time, whenever that is, but for what was erased. */
export async function targetsOf(
  world: { run: Statements; eventTargets: EventTargets },
  events: readonly EventRow[],
): Promise<ReadonlyMap<string, ResourceTarget>> {
  const targets = new Map(events.map(({ id, target }) => [id, withTimestamps(target)]))
  for (const [type, rows] of Map.groupBy(events, ({ target }) => target.type)) {
    const complete = world.eventTargets[type]
    if (!complete) continue
    for (const [id, target] of await complete(world, rows)) targets.set(id, target)
  }
  return targets
}

/** As PostgreSQL writes a time in JSON: with as many digits as it needs. */
const STORED_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?\+00:00$/

/** Times that a statement has written, in the form of the API. */
const withTimestamps = (target: ResourceTarget): ResourceTarget => ({
  ...target,
  ...Object.fromEntries(
    Object.entries(target).flatMap(([name, value]) =>
      name.endsWith('_at') && typeof value === 'string' && STORED_TIME.test(value) ? [[name, timestamp(value)]] : [],
    ),
  ),
})
