import { Type } from 'typebox'
import { badRequest } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import type { Routes } from '../api/routes.ts'
import { readFromReplica } from '../database/replicas/read-from-replica.ts'
import {
  MetricsExplorerFilters as Filters,
  type MetricsExplorerFilters,
  MetricsExplorerMetric,
  MetricsExplorerModule,
  MetricsExplorerSource,
  MetricsExplorerTotalResponse,
  ModuleResponse,
  TotalsQuery,
} from './explorer.schema.ts'
import { readQuery } from './filters.ts'
import { moduleData } from './module-data.ts'
import { totals } from './totals.ts'

const tags = ['Insights']
const config = { scopes: ['metrics-explorer.read'] }
const metricParams = { source: MetricsExplorerSource, metric: MetricsExplorerMetric }

export const explorerRoutes: Routes = (app, world) => {
  /** Throws a 400 that names each parameter that cannot be read. */
  const readTallyQuery = (
    account: string,
    source: MetricsExplorerSource,
    metric: MetricsExplorerMetric,
    query: MetricsExplorerFilters,
  ) => {
    const read = readQuery(metric, query, world.clock)
    if ('problems' in read)
      throw badRequest(
        'Request failed validation',
        Object.entries(read.problems).map(([pointer, message]) => ({
          location: 'query',
          pointer,
          message,
          type: 'value_error',
        })),
      )
    return { account, population: source, ...read }
  }

  app.get(
    '/metrics-explorer/:source/metrics/:metric/modules/:module',
    {
      config,
      schema: {
        operationId: 'get_metrics_explorer_module',
        summary: 'Get the data of a module',
        description:
          'A metric of the payments that were created within a range, for each of their values: the greatest first, at most 1,000. The answer always includes the latest changes.',
        tags,
        headers,
        params: Type.Object({ ...metricParams, module: MetricsExplorerModule }),
        querystring: Filters,
        response: { 200: Type.Array(ModuleResponse) },
      },
    },
    async ({ account, params: { source, metric, module }, query }) =>
      readFromReplica(world, (replica) =>
        moduleData(replica, readTallyQuery(account, source, metric, query), metric, module),
      ),
  )

  app.get(
    '/metrics-explorer/:source/metrics/:metric/totals',
    {
      config,
      schema: {
        operationId: 'get_metrics_explorer_totals',
        summary: 'Get the totals of a metric',
        description:
          'A metric over time: for ranges up to 48 hours by hour, for longer ones by day, counted from the start of the range. With the previous period of the same length, unless it is excluded.',
        tags,
        headers,
        params: Type.Object(metricParams),
        querystring: TotalsQuery,
        response: { 200: MetricsExplorerTotalResponse },
      },
    },
    async ({ account, params: { source, metric }, query }) =>
      readFromReplica(world, (replica) =>
        totals(replica, readTallyQuery(account, source, metric, query), metric, {
          excludePrevious: query.exclude_previous ?? false,
        }),
      ),
  )
}
