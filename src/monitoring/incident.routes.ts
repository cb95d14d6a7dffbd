import { type Static, Type } from 'typebox'
import { invalidQuery, notFound } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import { answerPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { Described, Nullable, pageQuery, Uuid } from '../api/schema.ts'
import { readInterval } from '../api/values/interval.ts'
import { readFromReplica } from '../database/replicas/read-from-replica.ts'
import { newestFirstPosition } from '../database/rows/newest-first.ts'
import { MonitoringIncident, MonitoringIncidents, MonitoringIncidentUpdate } from './incident.schema.ts'
import {
  findIncident,
  type IncidentRow,
  listIncidents,
  showIncident,
  updateIncidentNotes,
} from './incident.store.ts'
import { metricParams } from './metric.routes.ts'
import { findMetric } from './metric.store.ts'

const tags = ['Monitoring']
const params = Type.Object({ incident_id: Uuid })
const read = { scopes: ['monitoring.read'] }
const write = { scopes: ['monitoring.write'] }

const interval = Described(
  Type.String({ maxLength: 200 }),
  'Incidents that were open at some time of it: an ISO 8601 interval, as `P7D/now` or `2025-11-22T00:00Z/2025-11-23T00:00Z`',
)
const listQuery = Type.Object({ ...pageQuery(), timestamp_interval: Type.Optional(Nullable(interval)) })

/** Throws 400 for a text that is no interval. Null: any time. */
function readTimestampInterval(text: string | null | undefined, now: number) {
  if (text === null || text === undefined) return null
  const interval = readInterval(text, now)
  if (typeof interval === 'string') throw invalidQuery('timestamp_interval', interval)
  return interval
}

export const incidentRoutes: Routes = (app, world) => {
  const showFound = (row: IncidentRow | undefined) => {
    if (!row) throw notFound()
    return showIncident(row)
  }
  /** A page of the incidents of one metric; `metric` null: of all. */
  const incidentPage = async (account: string, metric: string | null, query: Static<typeof listQuery>) => {
    const during = readTimestampInterval(query.timestamp_interval, world.clock.now())
    const list = JSON.stringify(['monitoring-incidents', account, metric, query.timestamp_interval ?? null])
    return answerPage(world.cipher, list, query, {
      read: (page) =>
        readFromReplica(world, (replica) => listIncidents(replica, account, { metric, during }, page)),
      positionOf: newestFirstPosition,
      show: showIncident,
    })
  }

  app.get(
    '/monitoring/incidents',
    {
      config: read,
      schema: {
        operationId: 'list_monitoring_incidents',
        summary: 'List incidents',
        description:
          'The incidents of all metrics of the account, the newest first; those of deleted metrics, too.',
        tags,
        headers,
        querystring: listQuery,
        response: { 200: MonitoringIncidents },
      },
    },
    ({ query, account }) => incidentPage(account, null, query),
  )

  app.get(
    '/monitoring/metrics/:metric_id/incidents',
    {
      config: read,
      schema: {
        operationId: 'list_monitoring_metric_incidents',
        summary: 'List incidents of a metric',
        description: 'The incidents of one metric, the newest first.',
        tags,
        headers,
        params: metricParams,
        querystring: listQuery,
        response: { 200: MonitoringIncidents },
      },
    },
    async ({ params: { metric_id: id }, query, account }) => {
      const metric = await findMetric(world, account, id)
      if (!metric) throw notFound()
      return incidentPage(account, metric.id, query)
    },
  )

  app.get(
    '/monitoring/incidents/:incident_id',
    {
      config: read,
      schema: {
        operationId: 'get_monitoring_incident',
        summary: 'Get an incident',
        description: 'One incident by its id.',
        tags,
        headers,
        params,
        response: { 200: MonitoringIncident },
      },
    },
    async ({ params, account }) => showFound(await findIncident(world, account, params.incident_id)),
  )

  app.put(
    '/monitoring/incidents/:incident_id',
    {
      config: write,
      schema: {
        operationId: 'update_monitoring_incident',
        summary: 'Update an incident',
        description: 'Changes the notes of an incident; nothing else of it can be changed.',
        tags,
        headers,
        params,
        body: MonitoringIncidentUpdate,
        response: { 200: MonitoringIncident },
      },
    },
    async ({ params, body, account }) =>
      showFound(await updateIncidentNotes(world, account, params.incident_id, body.notes)),
  )
}
