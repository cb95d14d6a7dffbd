import { Type } from 'typebox'
import { invalid, invalidQuery, notFound, orNotFound } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import { pageOf, readPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { Described, Nullable, Parameter, pageQuery, Uuid } from '../api/schema.ts'
import { readInterval, type TimeInterval } from '../api/values/interval.ts'
import { newestFirstPosition } from '../database/rows/newest-first.ts'
import { showMetric } from './metric.representation.ts'
import {
  MonitoringMetric,
  MonitoringMetricCreate,
  MonitoringMetrics,
  MonitoringMetricUpdate,
} from './metric.schema.ts'
import { deleteMetric, findMetric, insertMetric, listMetrics, updateMetric } from './metric.store.ts'
import { policyProblems, specProblems, toSettings, toSpec } from './metric.ts'
import { samplesOf } from './sample.store.ts'

const tags = ['Monitoring']
export const metricParams = Type.Object({ metric_id: Uuid })
const read = { scopes: ['monitoring.read'] }
const write = { scopes: ['monitoring.write'] }

const SamplesInterval = Described(
  Type.String({ maxLength: 200 }),
  'The samples that are answered: an ISO 8601 interval of a day at most, as `PT3H/now` or `2025-11-22T00:00Z/PT24H`; its end does not belong to it',
)
const MAX_VIEW_MS = 86_400_000

/** Throws 400 for a text that is no interval of a day at most. */
function readSamplesInterval(text: string, now: number): TimeInterval {
  const interval = readInterval(text, now)
  if (typeof interval === 'string') throw invalidQuery('samples_timestamp_interval', interval)
  if (interval.end - interval.start > MAX_VIEW_MS)
    throw invalidQuery('samples_timestamp_interval', 'must not be longer than a day')
  return interval
}

function throwProblems(problems: Record<string, string>): void {
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

export const metricRoutes: Routes = (app, world) => {
  app.get(
    '/monitoring/metrics',
    {
      config: read,
      schema: {
        operationId: 'list_monitoring_metrics',
        summary: 'List monitored metrics',
        description: 'The metrics of the account, the newest first, each with its samples of an interval.',
        tags,
        headers,
        querystring: Type.Object({
          ...pageQuery(),
          limit: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 10,
              default: 5,
              description: 'How many items a page has at most',
            }),
          ),
          samples_timestamp_interval: SamplesInterval,
          search: Parameter(Type.String(), 'A part of the display name, in upper or lower case'),
        }),
        response: { 200: MonitoringMetrics },
      },
    },
    async ({ query, account }) => {
      const interval = readSamplesInterval(query.samples_timestamp_interval, world.clock.now())
      const search = query.search || null
      const list = JSON.stringify(['monitoring-metrics', account, search])
      const page = readPage(world.cipher, list, query)
      const rows = await listMetrics(world, account, search, page)
      const ids = rows.slice(0, page.limit).map(({ id }) => id)
      const samples = await samplesOf(world, account, ids, interval)
      return pageOf(world.cipher, list, page, rows, newestFirstPosition, (row) =>
        showMetric(row, samples.get(row.id) ?? []),
      )
    },
  )

  app.post(
    '/monitoring/metrics',
    {
      config: write,
      schema: {
        operationId: 'create_monitoring_metric',
        summary: 'Create a monitored metric',
        description:
          'From the next minute on, a sample is taken each minute; incidents are opened and closed by the alerting policy.',
        tags,
        headers,
        body: MonitoringMetricCreate,
        response: { 201: MonitoringMetric },
      },
    },
    async ({ body, account, caller }, reply) => {
      const spec = toSpec(body.spec)
      const settings = toSettings(body)
      throwProblems({ ...specProblems(spec), ...policyProblems(settings) })
      return reply
        .code(201)
        .send(showMetric(await insertMetric(world, account, caller.actor, spec, settings), null))
    },
  )

  app.get(
    '/monitoring/metrics/:metric_id',
    {
      config: read,
      schema: {
        operationId: 'get_monitoring_metric',
        summary: 'Get a monitored metric',
        description: 'One metric by its id, with its samples of an interval if one is given.',
        tags,
        headers,
        params: metricParams,
        querystring: Type.Object({ samples_timestamp_interval: Type.Optional(Nullable(SamplesInterval)) }),
        response: { 200: MonitoringMetric },
      },
    },
    async ({ params: { metric_id: id }, query: { samples_timestamp_interval: text }, account }) => {
      const interval = typeof text === 'string' ? readSamplesInterval(text, world.clock.now()) : null
      const row = await findMetric(world, account, id)
      if (!row) throw notFound()
      return showMetric(
        row,
        interval && ((await samplesOf(world, account, [row.id], interval)).get(row.id) ?? []),
      )
    },
  )

  app.put(
    '/monitoring/metrics/:metric_id',
    {
      config: write,
      schema: {
        operationId: 'update_monitoring_metric',
        summary: 'Update a monitored metric',
        description:
          'Replaces the name and both policies; what is measured never changes. With another policy, the count of samples in a row starts again. Without an incident policy, an open incident is closed.',
        tags,
        headers,
        params: metricParams,
        body: MonitoringMetricUpdate,
        response: { 200: MonitoringMetric },
      },
    },
    async ({ params, body, account }) => {
      const settings = toSettings(body)
      throwProblems(policyProblems(settings))
      return showMetric(orNotFound(await updateMetric(world, account, params.metric_id, settings)), null)
    },
  )

  app.delete(
    '/monitoring/metrics/:metric_id',
    {
      config: write,
      schema: {
        operationId: 'delete_monitoring_metric',
        summary: 'Delete a monitored metric',
        description:
          'Deletes the metric and its samples. Its incidents stay, without its id; an open one is closed.',
        tags,
        headers,
        params: metricParams,
        response: { 200: Type.Unsafe<Record<string, never>>({ description: 'An empty object' }) },
      },
    },
    async ({ params, account }) => {
      if (!(await deleteMetric(world, account, params.metric_id))) throw notFound()
      return {}
    },
  )
}
