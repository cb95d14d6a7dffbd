import type { TimeInterval } from '../api/values/interval.ts'
import type { World } from '../world.ts'
import type { MonitoringSample } from './metric.schema.ts'
import { authRate } from './metric.ts'

/** The samples of these metrics in an interval, by the metric's id, the oldest first. */
export async function samplesOf(
  world: Pick<World, 'db'>,
  account: string,
  metrics: readonly string[],
  { start, end }: TimeInterval,
): Promise<Map<string, MonitoringSample[]>> {
  if (metrics.length === 0) return new Map()
  const rows = await world.db
    .selectFrom('monitoring_samples')
    .select(['metric_id', 'taken_at', 'processed', 'authorized', 'healthy', 'incident_id'])
    .where('merchant_account_id', '=', account)
    .where('metric_id', 'in', metrics)
    .where('taken_at', '>=', new Date(start).toISOString())
    .where('taken_at', '<', new Date(end).toISOString())
    .orderBy('metric_id')
    .orderBy('taken_at')
    .execute()
  const byMetric = Map.groupBy(rows, ({ metric_id }) => metric_id)
  return new Map([...byMetric].map(([metric, samples]) => [metric, samples.map(showSample)]))
}

interface Sample {
  taken_at: string
  processed: number
  authorized: number
  healthy: boolean | null
  incident_id: string | null
}

const showSample = ({ taken_at, processed, authorized, healthy, incident_id }: Sample): MonitoringSample => ({
  timestamp: taken_at,
  value: authRate({ processed, authorized }),
  healthy,
  incident_related: incident_id !== null,
})
