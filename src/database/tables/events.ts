import type { Generated } from 'kysely'
import type { Json } from '../json.ts'

export interface EventTable {
  merchant_account_id: string
  id: string
  name: string
  target_id: string
  /** Of this resource, from 1. */
  sequence: number
  target: Json<ResourceTarget>
  /** In the log (`event_position`); positions below `event_horizon()` are final. */
  position: Generated<number>
  created_at: string
}

/** A resource in the shape of the API, as events carry it. */
export interface ResourceTarget {
  type: string
  id: string
}

export interface EventSequenceTable {
  merchant_account_id: string
  target_id: string
  last: number
}

export interface EventLogMarkTable {
  /** By the database server's clock. */
  at: string
  /** Events below it were final then. */
  position: number
}

export interface WebhookSubscriptionTable {
  id: string
  /** Null: of the instance. */
  merchant_account_id: string | null
  url: string
  active: boolean
  authentication: Json<Record<string, unknown>> | null
  secrets: Buffer
  rotating_until: string | null
  creator: Json<{ id: string; name: string; email_address: string }> | null
  deleted_at: string | null
  created_at: string
  updated_at: string
}

export interface WebhookQueueTable {
  webhook_subscription_id: string
  position: number
  sequence: number
  event_id: string
  leased_by: string | null
  leased_until: Generated<string>
  resume_at: Generated<string>
  failures: Generated<number>
  failing_since: string | null
}

export interface WebhookDeliveryTable {
  webhook_subscription_id: string
  /** The event's. */
  id: string
  merchant_account_id: string
  position: number
  sequence: number
  target_id: string
  event_name: string
  status: 'waiting' | 'succeeded' | 'failed'
  attempts: number
  /** Since it was first due, or asked for again. */
  tries: number
  history: Json<WebhookAttempt[]>
  /** Null: none is, or an earlier event of its resource is still waiting. */
  due_at: string | null
  give_up_at: string
  created_at: string
  updated_at: string
}

/** One time that an event was sent. */
export interface WebhookAttempt {
  /** ISO 8601. */
  at: string
  /** Milliseconds. */
  latency: number
  /** Null: nobody answered, and `error` says why. */
  status_code: number | null
  error: string | null
  /** How the answer began. */
  response: string | null
}
