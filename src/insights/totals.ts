import type { World } from '../world.ts'
import type { TimeRange } from './columns/column.store.ts'
import { HOUR_MS } from './columns/packed-hour.ts'
import type { MetricsExplorerMetric, MetricsExplorerTotalResponse } from './explorer.schema.ts'
import { type Sum, type TallyQuery, tally } from './tally.ts'

const DAY_MS = 24 * HOUR_MS
/** Longer ranges have a value for each day instead of each hour (semantics §16.7). */
const MAX_BY_HOURS = 48 * HOUR_MS

/**
 * The metric of a sum: smallest units, a number of payments, or a share from 0 to 1. Null: no payment was
 * processed.
 */
export function metricOf(metric: MetricsExplorerMetric, sum: Sum | undefined): number | null {
  if (metric === 'auth_rate')
    return sum && sum.transactions > 0 ? rounded(sum.authorized / sum.transactions) : null
  return sum?.[metric] ?? 0
}

/** Rounds to six decimal places. */
const rounded = (value: number) => Math.round(value * 1e6) / 1e6

type PeriodQuery = Omit<TallyQuery, 'by' | 'bucket' | 'withVolume'>

/** The metric over time, and over the previous period of the same length. */
export async function totals(
  world: Pick<World, 'db'>,
  query: PeriodQuery,
  metric: MetricsExplorerMetric,
  { excludePrevious }: { excludePrevious: boolean },
): Promise<MetricsExplorerTotalResponse> {
  const { from, to } = query.span
  const current = await periodOf(world, query, metric, query.span)
  const previous = excludePrevious
    ? null
    : await periodOf(world, query, metric, { from: 2 * from - to, to: from })
  return {
    type: 'metrics-explorer.total',
    series: { current: current.series, previous: previous?.series ?? null },
    summary: {
      current: { value: current.value },
      previous: previous && { value: previous.value },
      delta: previous && deltaOf(metric, current.value, previous.value),
    },
  }
}

async function periodOf(
  world: Pick<World, 'db'>,
  query: PeriodQuery,
  metric: MetricsExplorerMetric,
  span: TimeRange,
) {
  const length = span.to - span.from
  const bucket = length > MAX_BY_HOURS ? DAY_MS : HOUR_MS
  const sums = await tally(world, { ...query, span, bucket, withVolume: metric === 'volume' })
  const all = { transactions: 0, authorized: 0, volume: 0 }
  for (const sum of sums.values()) {
    all.transactions += sum.transactions
    all.authorized += sum.authorized
    all.volume += sum.volume
  }
  return {
    value: metricOf(metric, all),
    series: {
      first_interval: `${new Date(span.from).toISOString().replace('.000Z', 'Z')}/${bucket === DAY_MS ? 'P1D' : 'PT1H'}`,
      values: Array.from({ length: Math.ceil(length / bucket) }, (_, index) =>
        metricOf(metric, sums.get(String(index))),
      ),
    },
  }
}

function deltaOf(
  metric: MetricsExplorerMetric,
  current: number | null,
  previous: number | null,
): number | null {
  if (current === null || previous === null) return null
  if (metric === 'auth_rate') return rounded(current - previous)
  return previous === 0 ? null : rounded(((current - previous) / previous) * 100)
}
