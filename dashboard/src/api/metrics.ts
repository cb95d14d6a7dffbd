import type { GetMetricsExplorerTotalsQuery, MetricsExplorerTotalResponse } from '@railyard/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { formatAmount, fractionDigits } from '../format/amount.ts'
import { useLoad } from './use-api.ts'

export type Metric = 'auth_rate' | 'transactions' | 'volume'
export type Source = 'authorization' | 'authentication' | 'monitoring'

/** A metric over time. False: not yet, since the currency of a volume is not known. */
export const useTotals = (
  source: Source,
  metric: Metric,
  query: GetMetricsExplorerTotalsQuery,
  enabled = true,
): UseQueryResult<MetricsExplorerTotalResponse> =>
  useLoad(
    ['metrics-explorer', 'totals', source, metric, query],
    (api, signal) => api.metricsExplorer.metrics.totals.get(source, metric, query, { signal }),
    { enabled, refresh: 60_000 },
  )

/** The currencies of the payments of a range, the most frequent first. */
export function useCurrencies(range: string, enabled = true): readonly string[] | undefined {
  const { data } = useLoad(
    ['metrics-explorer', 'currencies', range],
    (api, signal) =>
      api.metricsExplorer.metrics.modules.get(
        'authorization',
        'transactions',
        'currency',
        { datetime_range: range },
        { signal },
      ),
    { enabled },
  )
  return data?.map(({ key }) => key).filter((key) => /^[A-Z]{3}$/.test(key))
}

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })
const signed = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, signDisplay: 'exceptZero' })

export const formatPercent = (share: number): string => percent.format(share)

/** How a value of a metric is read. */
export function formatOf(metric: Metric, currency: string | undefined): (value: number) => string {
  if (metric === 'auth_rate') return formatPercent
  if (metric === 'volume' && currency) return (value) => formatAmount(Math.round(value), currency)
  return (value) => whole.format(value)
}

/** The same, short enough for an axis: amounts have no fraction. */
export function formatForAxis(metric: Metric, currency: string | undefined): (value: number) => string {
  if (metric !== 'volume' || !currency) return formatOf(metric, currency)
  const amounts = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
    notation: 'compact',
    maximumFractionDigits: 1,
  })
  return (value) => amounts.format(value / 10 ** fractionDigits(currency))
}

/** How a metric has changed: in per cent, and a rate in points. */
export const formatDelta = (metric: Metric, delta: number, points: (text: string) => string): string =>
  metric === 'auth_rate' ? points(signed.format(delta * 100)) : `${signed.format(delta)} %`

/** The start of each value of a series, in milliseconds since 1970. */
export function timesOf({ first_interval, values }: { first_interval: string; values: unknown[] }): number[] {
  const [start = '', length] = first_interval.split('/')
  const step = length === 'PT1H' ? 3_600_000 : 86_400_000
  return values.map((_, index) => new Date(start).getTime() + index * step)
}
