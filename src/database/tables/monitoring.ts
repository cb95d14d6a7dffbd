import type { Generated } from 'kysely'
import type { Json } from '../json.ts'

/**
 * The definition of a metric: the share of authorized payments among those of a sliding window and its
 * filters (semantics §16.8).
 */
export interface AuthRateSpec {
  model: 'auth_rate'
  params: {
    filters: {
      /** An ISO 8601 interval that ends now: `PT15M/now`. */
      datetime_range: string
      /** For each list: null selects all; null in a list selects payments without a value. */
      method: (string | null)[] | null
      /** Six digits each. */
      payment_method_bin: (string | null)[] | null
      payment_method_scheme: (string | null)[] | null
      payment_service_id: (string | null)[] | null
    }
  }
}

/** A value is unhealthy above `alert_gt` or below `alert_lt`. Null: no such bound. */
export interface ThresholdPolicy {
  strategy: 'threshold'
  params: { alert_gt: number | null; alert_lt: number | null }
}

/** The number of samples in a row that open and that close an incident. */
export interface DebouncingPolicy {
  strategy: 'debouncing'
  params: { create_after_n: number; close_after_n: number }
}

export interface MonitoringMetricTable {
  merchant_account_id: string
  id: string
  display_name: string
  spec: Json<AuthRateSpec>
  alerting_policy: Json<ThresholdPolicy> | null
  /** Null: there never was one. */
  alerting_policy_updated_at: string | null
  incident_policy: Json<DebouncingPolicy> | null
  /** Null: there never was one. */
  incident_policy_updated_at: string | null
  creator_type: 'private_key' | 'user'
  creator_id: string
  creator_display_name: string
  /** A whole minute. */
  next_sample_at: string
  leased_until: string | null
  /** The number of samples in a row for opening an incident or, while one is open, for closing it. */
  streak: Generated<number>
  deleted_at: string | null
  created_at: string
  updated_at: string
}

export interface MonitoringIncidentTable {
  merchant_account_id: string
  id: string
  /** Null: the metric was deleted. */
  metric_id: string | null
  display_name: string
  spec: Json<AuthRateSpec>
  alerting_policy: Json<ThresholdPolicy>
  incident_policy: Json<DebouncingPolicy>
  notes: string | null
  /** Null: it is open. */
  closed_at: string | null
  created_at: string
  updated_at: string
}

export interface MonitoringSampleTable {
  merchant_account_id: string
  metric_id: string
  /** A whole minute. */
  taken_at: string
  processed: number
  authorized: number
  /** Null: there is no alerting policy, or no payment was processed. */
  healthy: boolean | null
  /** The incident that was open then, or that the sample opened or closed. */
  incident_id: string | null
}
