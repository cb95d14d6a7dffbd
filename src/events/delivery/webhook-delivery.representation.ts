import type { WebhookAttempt as AttemptRow } from '../../database/tables/events.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { WebhookAttempt, WebhookDelivery } from './webhook-delivery.schema.ts'
import type { WebhookDeliveryRow } from './webhook-delivery.store.ts'

export const showDelivery = (row: WebhookDeliveryRow): WebhookDelivery => ({
  type: 'webhook-delivery',
  id: row.id,
  webhook_subscription_id: row.webhook_subscription_id,
  merchant_account_id: row.merchant_account_id,
  event_name: row.event_name,
  target_id: row.target_id,
  status: row.status,
  attempt_count: row.attempts,
  next_attempt_at: row.due_at,
  attempts: row.history.map(showAttempt),
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export const showAttempt = ({ at, latency, status_code, error, response }: AttemptRow): WebhookAttempt => ({
  at: timestamp(at.replace('Z', '')),
  latency_ms: latency,
  status_code,
  error,
  response,
})
