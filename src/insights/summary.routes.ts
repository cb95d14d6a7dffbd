import { invalidQuery } from '../api/errors.ts'
import { merchantAccountHeader } from '../api/headers.ts'
import type { Routes } from '../api/routes.ts'
import { readFromReplica } from '../database/replicas/read-from-replica.ts'
import { readDatetimeRange } from './datetime-range.ts'
import { MetricsExplorerSummary, SummaryQuery } from './summary.schema.ts'
import { readSummary } from './summary.store.ts'

export const summaryRoutes: Routes = (app, world) => {
  app.get(
    '/metrics-explorer/summary',
    {
      config: { scopes: ['metrics-explorer.read'] },
      schema: {
        operationId: 'get_metrics_explorer_summary',
        summary: 'Get the summary of a period',
        description:
          'Payments, their volume, refunds and disputes of a period, for each currency. Payments, refunds and disputes each belong to the moment of their own creation. The answer always includes the latest changes.',
        tags: ['Insights'],
        headers: merchantAccountHeader,
        querystring: SummaryQuery,
        response: { 200: MetricsExplorerSummary },
      },
    },
    async ({ account, query }) => {
      const span = readDatetimeRange(query.datetime_range, world.clock)
      if (typeof span === 'string') throw invalidQuery('datetime_range', span)
      return readFromReplica(world, (replica) => readSummary(replica, account, span))
    },
  )
}
