import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Page, Text, Timestamp, Uuid } from '../api/schema.ts'
import { ShownAlertingPolicy, ShownIncidentPolicy, ShownSpec } from './metric.schema.ts'

/** Semantics §16.8. Its name, spec and policies are those of its metric when the incident was opened. */
export const MonitoringIncident = Closed('MonitoringIncident', {
  type: Type.Literal('monitoring.incident'),
  id: Uuid,
  metric_id: Nullable(Described(Uuid, 'Null: the metric was deleted')),
  merchant_account_id: Type.String(),
  display_name: Type.String(),
  spec: ShownSpec,
  alerting_policy: ShownAlertingPolicy,
  incident_policy: ShownIncidentPolicy,
  notes: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
  closed_at: Nullable(Described(Timestamp, 'Null: it is open')),
})
export type MonitoringIncident = Static<typeof MonitoringIncident>

export const MonitoringIncidents = Page('MonitoringIncidents', MonitoringIncident)

export const MonitoringIncidentUpdate = Closed('MonitoringIncidentUpdate', {
  notes: Nullable(Described(Text(1, 1000), 'Null clears them')),
})
export type MonitoringIncidentUpdate = Static<typeof MonitoringIncidentUpdate>
