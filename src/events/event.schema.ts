import { type Static, Type } from 'typebox'
import { Closed, Described, Text, Timestamp, Uuid, Words } from '../api/schema.ts'
import type { ResourceTarget } from '../database/tables/events.ts'

/**
 * The resource as it was after the event, always with its `type` and `id`. The schema of its type marks the
 * personal members.
 */
const Target = Type.Unsafe<ResourceTarget>({
  title: 'EventTarget',
  type: 'object',
  properties: { type: { type: 'string' }, id: { type: 'string' } },
  required: ['type', 'id'],
  additionalProperties: true,
  description:
    'The resource in the shape of the API, as it was when this happened; `type` and `id` are always there',
})

/** Semantics §15.2, and Railyard's sequence number, which orders the events of a resource. */
export const Event = Closed('Event', {
  type: Type.Literal('event'),
  id: Described(Uuid, 'The same in each delivery of this event and in the feed'),
  name: Described(Type.String(), 'What happened, e.g. `transaction.captured`'),
  merchant_account_id: Type.String(),
  svc_id: Described(Type.String(), 'The instance that sends it (`INSTANCE_ID`)'),
  environment: Words('sandbox', 'production'),
  created_at: Timestamp,
  sequence: Described(
    Type.Integer({ minimum: 1 }),
    'The number of this event among those of the resource, from 1 and without gaps',
  ),
  target: Target,
})
export type Event = Static<typeof Event>

export const EventFeed = Closed('EventFeed', {
  items: Type.Array(Event),
  limit: Type.Integer({ minimum: 1, maximum: 1000 }),
  next_cursor: Described(
    Text(1, 1000),
    'Pass it as `after` to read what follows, now or later. An empty page has one, too',
  ),
})
export type EventFeed = Static<typeof EventFeed>
