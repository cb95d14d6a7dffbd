import type { MonitoringMetric, MonitoringSample } from './metric.schema.ts'
import type { MetricRow } from './metric.ts'

/** A metric as the API shows it. `samples`: null if the request names no interval. */
export const showMetric = (row: MetricRow, samples: MonitoringSample[] | null): MonitoringMetric => ({
  type: 'monitoring.metric',
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  display_name: row.display_name,
  spec: row.spec,
  alerting_policy: row.alerting_policy,
  alerting_policy_updated_at: row.alerting_policy_updated_at,
  incident_policy: row.incident_policy,
  incident_policy_updated_at: row.incident_policy_updated_at,
  created_at: row.created_at,
  creator_id: row.creator_id,
  creator_type: row.creator_type,
  creator_display_name: row.creator_display_name,
  updated_at: row.updated_at,
  samples_view: samples,
})
