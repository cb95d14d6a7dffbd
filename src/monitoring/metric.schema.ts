import { type Static, type TSchema, Type } from 'typebox'
import { Closed, Described, Nullable, Page, Text, Timestamp, Uuid, Words } from '../api/schema.ts'
import { CardScheme, Method } from '../connectors/contract/method.schema.ts'
import type { AuthRateSpec, DebouncingPolicy, ThresholdPolicy } from '../database/tables/monitoring.ts'

/** The discriminant of a union that has one member so far, so that it may be left out. */
const only = <const W extends string>(word: W) => Type.Optional({ ...Type.Literal(word), default: word })

const chosen = <T extends TSchema>(item: T, values: string) =>
  Type.Optional(
    Nullable(
      Described(
        Type.Array(Nullable(item)),
        `Payments with any of these ${values}; null among them: payments without one. Null or empty: all`,
      ),
    ),
  )

const MonitoringMetricFilters = Closed('MonitoringMetricFilters', {
  datetime_range: Described(
    Type.String({ maxLength: 100 }),
    'How far back a sample looks: an ISO 8601 duration of 5 to 60 minutes until `now`, as `PT15M/now`',
  ),
  method: chosen(Method, 'methods'),
  payment_method_bin: chosen(
    Type.String({ pattern: '^\\d+$', minLength: 6, maxLength: 6 }),
    'first six digits',
  ),
  payment_method_scheme: chosen(CardScheme, 'card schemes'),
  payment_service_id: chosen(Uuid, 'payment services'),
})

export const MonitoringAuthRateSpec = Closed('MonitoringAuthRateSpec', {
  model: only('auth_rate'),
  params: Closed('MonitoringAuthRateMetricSpecParams', { filters: MonitoringMetricFilters }),
})
export type MonitoringAuthRateSpec = Static<typeof MonitoringAuthRateSpec>

/**
 * A decimal, as a number or as text. The pattern matches each text in one way only, so that a megabyte of
 * zeros takes no exponential time.
 */
const Threshold = Type.Union([
  Type.Number(),
  Type.String({ pattern: '^[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)$', maxLength: 50 }),
])

export const MonitoringThresholdAlertingPolicy = Closed('MonitoringThresholdAlertingPolicy', {
  strategy: only('threshold'),
  params: Closed('MonitoringThresholdAlertingPolicyParams', {
    alert_gt: Type.Optional(Nullable(Described(Threshold, 'From 0 to 1: a value above it is unhealthy'))),
    alert_lt: Type.Optional(Nullable(Described(Threshold, 'From 0 to 1: a value below it is unhealthy'))),
  }),
})
export type MonitoringThresholdAlertingPolicy = Static<typeof MonitoringThresholdAlertingPolicy>

const Samples = (description: string) => Described(Type.Integer({ minimum: 1, maximum: 10 }), description)

export const MonitoringDebouncingIncidentPolicy = Closed('MonitoringDebouncingIncidentPolicy', {
  strategy: only('debouncing'),
  params: Closed('MonitoringDebouncingIncidentPolicyParams', {
    create_after_n: Samples('How many unhealthy samples in a row open an incident'),
    close_after_n: Samples('How many healthy samples in a row close it'),
  }),
})
export type MonitoringDebouncingIncidentPolicy = Static<typeof MonitoringDebouncingIncidentPolicy>

const settings = {
  display_name: Text(1, 200),
  alerting_policy: Nullable(MonitoringThresholdAlertingPolicy),
  incident_policy: Nullable(Described(MonitoringDebouncingIncidentPolicy, 'Needs an alerting policy')),
}

export const MonitoringMetricCreate = Closed('MonitoringMetricCreate', {
  ...settings,
  spec: MonitoringAuthRateSpec,
})
export type MonitoringMetricCreate = Static<typeof MonitoringMetricCreate>

/** What a metric measures never changes; an update replaces the other members as a whole. */
export const MonitoringMetricUpdate = Closed('MonitoringMetricUpdate', settings)
export type MonitoringMetricUpdate = Static<typeof MonitoringMetricUpdate>

/** The schemas of answers, in which no member is left out and decimals are numbers. */
export const ShownSpec = Type.Unsafe<AuthRateSpec>(MonitoringAuthRateSpec)
export const ShownAlertingPolicy = Nullable(Type.Unsafe<ThresholdPolicy>(MonitoringThresholdAlertingPolicy))
export const ShownIncidentPolicy = Nullable(Type.Unsafe<DebouncingPolicy>(MonitoringDebouncingIncidentPolicy))

const MonitoringSample = Closed('MonitoringSample', {
  timestamp: Described(Timestamp, 'The end of the sample’s time span: a full minute'),
  value: Nullable(Described(Type.Number(), 'From 0 to 1; null: no payment was processed')),
  healthy: Nullable(Described(Type.Boolean(), 'Null: there is no value, or no alerting policy')),
  incident_related: Described(
    Type.Boolean(),
    'Whether the sample opened or closed an incident, or one was open',
  ),
})
export type MonitoringSample = Static<typeof MonitoringSample>

/** Semantics §16.8. */
export const MonitoringMetric = Closed('MonitoringMetric', {
  type: Type.Literal('monitoring.metric'),
  id: Uuid,
  merchant_account_id: Type.String(),
  display_name: Type.String(),
  spec: ShownSpec,
  alerting_policy: ShownAlertingPolicy,
  alerting_policy_updated_at: Nullable(Described(Timestamp, 'Null: there never was one')),
  incident_policy: ShownIncidentPolicy,
  incident_policy_updated_at: Nullable(Described(Timestamp, 'Null: there never was one')),
  created_at: Timestamp,
  creator_id: Uuid,
  creator_type: Words('private_key', 'user'),
  creator_display_name: Type.String(),
  updated_at: Timestamp,
  samples_view: Nullable(
    Described(
      Type.Array(MonitoringSample),
      'The samples of the requested interval, the oldest first; null: none was requested',
    ),
  ),
})
export type MonitoringMetric = Static<typeof MonitoringMetric>

export const MonitoringMetrics = Page('MonitoringMetrics', MonitoringMetric)
