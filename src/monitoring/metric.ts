import type { Selectable } from 'kysely'
import { readDuration } from '../api/values/interval.ts'
import type {
  AuthRateSpec,
  DebouncingPolicy,
  MonitoringMetricTable,
  ThresholdPolicy,
} from '../database/tables/monitoring.ts'
import type {
  MonitoringAuthRateSpec,
  MonitoringDebouncingIncidentPolicy,
  MonitoringMetricUpdate,
  MonitoringThresholdAlertingPolicy,
} from './metric.schema.ts'

export type MetricRow = Selectable<MonitoringMetricTable>

/** The members of a metric that an update replaces. */
export interface MetricSettings {
  display_name: string
  alerting_policy: ThresholdPolicy | null
  incident_policy: DebouncingPolicy | null
}

/** The settings of a request, with null for members that were left out, and decimals as numbers. */
export const toSettings = ({
  display_name,
  alerting_policy,
  incident_policy,
}: MonitoringMetricUpdate): MetricSettings => ({
  display_name,
  alerting_policy: alerting_policy && toAlertingPolicy(alerting_policy),
  incident_policy: incident_policy && toIncidentPolicy(incident_policy),
})

const toAlertingPolicy = ({
  params: { alert_gt = null, alert_lt = null },
}: MonitoringThresholdAlertingPolicy): ThresholdPolicy => ({
  strategy: 'threshold',
  params: {
    alert_gt: alert_gt === null ? null : Number(alert_gt),
    alert_lt: alert_lt === null ? null : Number(alert_lt),
  },
})

const toIncidentPolicy = ({
  params: { create_after_n, close_after_n },
}: MonitoringDebouncingIncidentPolicy): DebouncingPolicy => ({
  strategy: 'debouncing',
  params: { create_after_n, close_after_n },
})

export function toSpec({ params: { filters } }: MonitoringAuthRateSpec): AuthRateSpec {
  const {
    datetime_range,
    method = null,
    payment_method_bin = null,
    payment_method_scheme = null,
    payment_service_id = null,
  } = filters
  return {
    model: 'auth_rate',
    params: {
      filters: { datetime_range, method, payment_method_bin, payment_method_scheme, payment_service_id },
    },
  }
}

const MINUTE_MS = 60_000

/** The start of the minute of a time; both in milliseconds since 1970. */
export const minuteOf = (time: number): number => time - (time % MINUTE_MS)

/** When the sample after one of this time is due. */
export const minuteAfter = (time: number): string => new Date(minuteOf(time) + MINUTE_MS).toISOString()

const MIN_MINUTES = 5
const MAX_MINUTES = 60

/**
 * How far back a sample looks, in milliseconds. Undefined: the range is not `<duration>/now` of 5 to 60
 * minutes (semantics §16.8).
 */
export function lookback(range: string): number | undefined {
  const [duration = '', ...end] = range.split('/')
  const minutes = readDuration(duration)?.as('minutes') ?? 0
  return end.join('/') === 'now' && minutes >= MIN_MINUTES && minutes <= MAX_MINUTES
    ? minutes * MINUTE_MS
    : undefined
}

/** A limit for the values of a filter, since each incident repeats them. */
const MAX_CHOICES = 100

/** The problems of a spec: JSON pointer → message. Empty: none. */
export function specProblems({ params: { filters } }: AuthRateSpec): Record<string, string> {
  const { datetime_range, ...lists } = filters
  const at = '/spec/params/filters'
  const tooLong = Object.entries(lists).filter(([, list]) => (list?.length ?? 0) > MAX_CHOICES)
  return {
    ...(lookback(datetime_range) === undefined && {
      [`${at}/datetime_range`]: `must be a duration of ${MIN_MINUTES} to ${MAX_MINUTES} minutes until now, as PT15M/now`,
    }),
    ...Object.fromEntries(
      tooLong.map(([name]) => [`${at}/${name}`, `must not have more than ${MAX_CHOICES} values`]),
    ),
  }
}

const isShare = (threshold: number | null) => threshold === null || (threshold >= 0 && threshold <= 1)

/** The problems of the policies: JSON pointer → message. Empty: none. */
export function policyProblems({ alerting_policy, incident_policy }: MetricSettings): Record<string, string> {
  if (alerting_policy === null)
    return incident_policy === null
      ? {}
      : { '/incident_policy': 'needs an alerting_policy, which says what is unhealthy' }
  const { alert_gt, alert_lt } = alerting_policy.params
  const at = '/alerting_policy/params'
  if (alert_gt === null && alert_lt === null) return { [at]: 'must have alert_gt or alert_lt' }
  const range = 'must be from 0 to 1: the value is a share'
  return {
    ...(!isShare(alert_gt) && { [`${at}/alert_gt`]: range }),
    ...(!isShare(alert_lt) && { [`${at}/alert_lt`]: range }),
    ...(alert_gt !== null &&
      alert_lt !== null &&
      alert_lt > alert_gt && { [`${at}/alert_lt`]: 'must not be above alert_gt: nothing would be healthy' }),
  }
}

/** Whether a value is within the thresholds. Null: there is no value, or no policy. */
export function isHealthy(value: number | null, policy: ThresholdPolicy | null): boolean | null {
  if (value === null || policy === null) return null
  const { alert_gt, alert_lt } = policy.params
  return (alert_gt === null || value <= alert_gt) && (alert_lt === null || value >= alert_lt)
}

/** The share of the processed payments that were authorized, from 0 to 1. Null: none were processed. */
export const authRate = ({
  processed,
  authorized,
}: {
  processed: number
  authorized: number
}): number | null => (processed === 0 ? null : authorized / processed)
