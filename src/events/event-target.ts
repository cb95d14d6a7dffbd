import type { Statements } from '../database/statements.ts'
import type { ResourceTarget, StoredTarget } from '../database/tables/events.ts'
import { timestamp } from '../database/timestamp.ts'
import type { EventRow } from './event.row.ts'

/**
 * Completes the targets of events of one resource type: by the event's id, the resource in the shape of the
 * API as it was then, by a function that throws if the resource cannot be shown. An event row stores the members
 * that may change; the others come from the resource's row. An event without an answer is shown as it is stored,
 * with its resource's id.
 */
export type CompleteTargets = (
  world: { run: Statements },
  events: readonly EventRow[],
) => Promise<ReadonlyMap<string, () => ResourceTarget>>

/** By the type of the target. Events of the other types store the whole target. */
export type EventTargets = Readonly<Partial<Record<string, CompleteTargets>>>

/**
 * Functions that show the targets of events, by the events' ids. An event has the same target at any time, apart
 * from data that an erasure has removed.
 */
export async function targetsOf(
  world: { run: Statements; eventTargets: EventTargets },
  events: readonly EventRow[],
): Promise<ReadonlyMap<string, () => ResourceTarget>> {
  const targets = new Map<string, () => ResourceTarget>(
    events.map(({ id, target, target_id }) => [
      id,
      () => ({ ...withTimestamps(whole(target)), id: target_id }),
    ]),
  )
  for (const [type, rows] of Map.groupBy(events, ({ target }) => target.type)) {
    const complete = world.eventTargets[type]
    if (!complete) continue
    for (const [id, show] of await complete(world, rows)) targets.set(id, show)
  }
  return targets
}

/** The target with what a retirement has kept of its resource's row (privacy/erase-outliving.ts). */
function whole({ row, ...target }: StoredTarget & { row?: object }): StoredTarget {
  return { ...row, ...target }
}

/** A time as PostgreSQL writes it in JSON: with as many digits as it needs. */
const STORED_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?\+00:00$/

/** The target with the times that a statement has written in the form of the API. */
const withTimestamps = (target: StoredTarget): StoredTarget => ({
  ...target,
  ...Object.fromEntries(
    Object.entries(target).flatMap(([name, value]) =>
      name.endsWith('_at') && typeof value === 'string' && STORED_TIME.test(value)
        ? [[name, timestamp(value)]]
        : [],
    ),
  ),
})
