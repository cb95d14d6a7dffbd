import type { Generated } from 'kysely'
import type { Json } from '../json.ts'

export interface EventTable {
  merchant_account_id: string
  id: string
  name: string
  target_id: string
  /** The number of the event among those of its resource, from 1. */
  sequence: number
  target: Json<StoredTarget>
  /** The position in the log (`event_position`); positions below `event_horizon()` are final. */
  position: Generated<number>
  created_at: string
}

/**
 * What an event stores of its resource: the whole of it, or what may be another value later
 * (`CompleteTargets`).
 */
export interface StoredTarget {
  type: string
}

/** The resource of an event, in the shape of the API. */
export interface ResourceTarget extends StoredTarget {
  id: string
}

export interface EventSequenceTable {
  merchant_account_id: string
  target_id: string
  last: number
}

export interface EventLogMarkTable {
  /** The database server's time. */
  at: string
  /** Events below this position were final then. */
  position: number
}

export interface WebhookSubscriptionTable {
  id: string
  /** Null: the subscription is the instance's. */
  merchant_account_id: string | null
  url: string
  active: boolean
  authentication: Json<Record<string, unknown>> | null
  secrets: Buffer
  rotating_until: string | null
  creator: Json<{ id: string; name: string; email_address: string }> | null
  /** What it is sent: the account's events, or orders of agentic checkouts. */
  form: Generated<'event' | 'agentic-order'>
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
  /** Erasures of events of its accounts. */
  erasures: Generated<number>
}

export interface WebhookDeliveryTable {
  webhook_subscription_id: string
  /** The position of the event. */
  id: string
  merchant_account_id: string
  position: number
  sequence: number
  target_id: string
  event_name: string
  status: 'waiting' | 'succeeded' | 'failed'
  attempts: number
  /** Attempts since the delivery was first due, or was requested again. */
  tries: number
  history: Json<WebhookAttempt[]>
  /** Null: no attempt is due, or an earlier event of the resource is still waiting. */
  due_at: string | null
  give_up_at: string
  created_at: string
  updated_at: string
}

/** One attempt to deliver an event. */
export interface WebhookAttempt {
  /** ISO 8601. */
  at: string
  /** Milliseconds. */
  latency: number
  /** Null: no answer; `error` says why. */
  status_code: number | null
  error: string | null
  /** The beginning of the answer. */
  response: string | null
}
