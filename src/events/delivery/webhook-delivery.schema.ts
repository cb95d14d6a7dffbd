import { type Static, Type } from 'typebox'
import {
  Closed,
  Described,
  Nullable,
  Page,
  Personal,
  Text,
  Timestamp,
  Uuid,
  Words,
} from '../../api/schema.ts'
import { Event } from '../event.schema.ts'

export const WebhookAttempt = Closed('WebhookAttempt', {
  at: Timestamp,
  latency_ms: Described(Type.Integer({ minimum: 0 }), 'How long the receiver took'),
  status_code: Described(
    Nullable(Type.Integer()),
    'The HTTP status of the receiver’s answer; null: there was no answer, and `error` says why',
  ),
  error: Described(Nullable(Type.String()), 'Why this attempt counts as failed; null: it succeeded'),
  response: Personal(Described(Nullable(Type.String({ maxLength: 1_000 })), 'How the answer began')),
})
export type WebhookAttempt = Static<typeof WebhookAttempt>

export const WebhookDeliveryStatus = Words('waiting', 'succeeded', 'failed')

const members = {
  type: Type.Literal('webhook-delivery'),
  id: Described(Uuid, 'The event’s'),
  webhook_subscription_id: Uuid,
  merchant_account_id: Type.String(),
  event_name: Type.String(),
  target_id: Described(Uuid, 'The resource that the event is about'),
  status: Described(
    WebhookDeliveryStatus,
    '`failed`: given up after seven days, or at once if there is nothing to send any more. It is kept, and can be sent again on request',
  ),
  attempt_count: Described(Type.Integer({ minimum: 0 }), 'How many times it has been sent'),
  next_attempt_at: Described(
    Nullable(Timestamp),
    'When it is sent again. Null: not planned, or an earlier event of the resource is still waiting',
  ),
  attempts: Described(Type.Array(WebhookAttempt), 'The last 20, the newest last'),
  created_at: Described(Timestamp, 'When it happened'),
  updated_at: Timestamp,
}

export const WebhookDelivery = Closed('WebhookDelivery', members)
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookDeliveries = Page('WebhookDeliveries', WebhookDelivery)

export const WebhookDeliveryWithEvent = Closed('WebhookDeliveryWithEvent', {
  ...members,
  event: Described(Event, 'What is sent'),
})

export const WebhookReplayCreate = Closed('WebhookReplayCreate', {
  from: Described(Timestamp, 'The events that happened at this time or later'),
  to: Described(Timestamp, 'The events that happened before this time'),
  event_names: Type.Optional(
    Described(
      Nullable(Type.Array(Text(1, 100), { maxItems: 100 })),
      'The names of the events; absent or empty: all',
    ),
  ),
})
export type WebhookReplayCreate = Static<typeof WebhookReplayCreate>

export const WebhookReplay = Closed('WebhookReplay', {
  type: Type.Literal('webhook-replay'),
  count: Described(Type.Integer({ minimum: 0 }), 'How many events are sent again'),
})

export const WebhookTest = Closed('WebhookTest', {
  type: Type.Literal('webhook-test'),
  succeeded: Type.Boolean(),
  event: Described(Event, 'What was sent'),
  attempt: WebhookAttempt,
})
