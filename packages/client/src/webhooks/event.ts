import type { EventTargets } from '../generated/events.ts'
import type { EventBody } from '../generated/schemas.ts'

/** The names of events that this version knows. */
export type EventName = keyof EventTargets

/**
 * What happened: `name` tells the events apart, and `target` is the resource as it was then. A later version of
 * Railyard may send names that are not listed here: ignore them.
 */
export type RailyardEvent = {
  [Name in EventName]: Omit<EventBody, 'name' | 'target'> & { name: Name; target: EventTargets[Name] }
}[EventName]
