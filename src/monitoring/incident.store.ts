import type { Kysely, Selectable } from 'kysely'
import type { PageRequest } from '../api/pagination.ts'
import type { TimeInterval } from '../api/values/interval.ts'
import { timeOf } from '../base/clock.ts'
import { changeWithAudit } from '../database/logs/audit-log.ts'
import { recordEvent } from '../database/logs/outbox.ts'
import { newestFirst } from '../database/rows/newest-first.ts'
import type { MonitoringIncidentTable } from '../database/tables/monitoring.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import type { MonitoringIncident } from './incident.schema.ts'
import type { MetricRow } from './metric.ts'

export type IncidentRow = Selectable<MonitoringIncidentTable>

/** An incident as the API and its events show it. */
export const showIncident = (row: IncidentRow): MonitoringIncident => ({
  type: 'monitoring.incident',
  ...row,
})

export interface IncidentFilter {
  /** Null: the incidents of all metrics, also of deleted ones. */
  metric: string | null
  /** Incidents that were open at some time within it; null: at any time. */
  during: TimeInterval | null
}

/** Newest first. */
export function listIncidents(
  world: Pick<World, 'db'>,
  account: string,
  { metric, during }: IncidentFilter,
  page: PageRequest,
): Promise<IncidentRow[]> {
  return world.db
    .selectFrom('monitoring_incidents')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .$if(metric !== null, (query) => query.where('metric_id', '=', metric))
    .$if(during !== null, (query) =>
      query
        .where('created_at', '<', isoTime(during?.end))
        .where((where) =>
          where.or([where('closed_at', 'is', null), where('closed_at', '>=', isoTime(during?.start))]),
        ),
    )
    .$call(newestFirst(page))
    .execute()
}

const isoTime = (time = 0) => new Date(time).toISOString()

/** Undefined: the account has no such incident. */
export const findIncident = (
  world: Pick<World, 'db'>,
  account: string,
  id: string,
): Promise<IncidentRow | undefined> =>
  world.db
    .selectFrom('monitoring_incidents')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst()

/** Undefined: the account has no such incident. */
export async function updateIncidentNotes(
  world: World,
  account: string,
  id: string,
  notes: string | null,
): Promise<IncidentRow | undefined> {
  const updated = await changeWithAudit(
    world,
    (db) =>
      db
        .updateTable('monitoring_incidents')
        .set({ notes, updated_at: timeOf(world.clock) })
        .where('merchant_account_id', '=', account)
        .where('id', '=', id)
        .where('notes', 'is distinct from', notes)
        .returningAll()
        .executeTakeFirst(),
    ({ display_name }) => ({
      account,
      action: 'updated',
      resource: { type: 'monitoring.incident', id, name: display_name },
    }),
  )
  // the incident has these notes already, or there is none
  return updated ?? findIncident(world, account, id)
}

/** The open incident of a metric, whose row must be locked in `db`. Undefined: none is open. */
export const openIncidentOf = (
  db: Kysely<Tables>,
  { merchant_account_id, id }: MetricRow,
): Promise<{ id: string } | undefined> =>
  db
    .selectFrom('monitoring_incidents')
    .select('id')
    .where('merchant_account_id', '=', merchant_account_id)
    .where('metric_id', '=', id)
    .where('closed_at', 'is', null)
    .executeTakeFirst()

/** Opens an incident of a metric with its event, in the database transaction `db`. Answers its id. */
export async function openIncident(
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  metric: MetricRow,
): Promise<string> {
  const { merchant_account_id: account, display_name, spec, alerting_policy, incident_policy } = metric
  const now = timeOf(world.clock)
  const incident = await db
    .insertInto('monitoring_incidents')
    .values({
      merchant_account_id: account,
      id: world.ids.next(),
      metric_id: metric.id,
      display_name,
      spec: JSON.stringify(spec),
      alerting_policy: JSON.stringify(alerting_policy),
      incident_policy: JSON.stringify(incident_policy),
      notes: null,
      closed_at: null,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordEvent(db, world, {
    account,
    name: 'monitoring.incident.created',
    target: showIncident(incident),
  })
  return incident.id
}

/**
 * Closes an open incident with its event, in the database transaction `db`. `detached`: also removes its
 * metric's id, since the metric is deleted.
 */
export async function closeIncident(
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  account: string,
  id: string,
  detached: { metric_id?: null } = {},
): Promise<void> {
  const now = timeOf(world.clock)
  const incident = await db
    .updateTable('monitoring_incidents')
    .set({ ...detached, closed_at: now, updated_at: now })
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordEvent(db, world, {
    account,
    name: 'monitoring.incident.closed',
    target: showIncident(incident),
  })
}

/**
 * For a metric that is deleted, whose row must be locked in `db`: its incidents stay without the metric's id,
 * and an open one is closed.
 */
export async function detachIncidents(
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  metric: MetricRow,
): Promise<void> {
  const open = await openIncidentOf(db, metric)
  if (open) await closeIncident(db, world, metric.merchant_account_id, open.id, { metric_id: null })
  await db
    .updateTable('monitoring_incidents')
    .set({ metric_id: null })
    .where('merchant_account_id', '=', metric.merchant_account_id)
    .where('metric_id', '=', metric.id)
    .execute()
}
