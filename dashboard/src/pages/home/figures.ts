import type { MetricsExplorerSummary, Railyard } from '@railyard/client'
import type { Zone } from '../../format/zone.tsx'

/** A period that is compared with the one so many days earlier. */
const days = { today: 1, '7d': 7, '30d': 30 } as const

export type Period = keyof typeof days
export const periods = Object.keys(days) as Period[]

const DAY_MS = 86_400_000

/** It ends at the server's present time: in the sandbox an account may have a clock of its own. */
function rangeOf(period: Period, zone: Zone): string {
  if (period !== 'today') return `P${days[period]}D/now`
  const midnight = new Date()
  if (zone === 'UTC') midnight.setUTCHours(0, 0, 0, 0)
  else midnight.setHours(0, 0, 0, 0)
  return `${midnight.toISOString()}/now`
}

/** What was counted between two moments. */
interface Span {
  from: string
  to: string
}

const rangeBetween = ({ from, to }: Span, earlierMs = 0): string =>
  [from, to].map((time) => new Date(new Date(time).getTime() - earlierMs).toISOString()).join('/')

/** What happened in a period, and in the one before. */
export async function loadFigures(api: Railyard, period: Period, zone: Zone, signal: AbortSignal) {
  const options = { signal }
  const current = await api.metricsExplorer.summary.get({ datetime_range: rangeOf(period, zone) }, options)
  const earlier = { datetime_range: rangeBetween(current, days[period] * DAY_MS) }
  const query = { datetime_range: rangeBetween(current), exclude_previous: true }
  const totals = (metric: string) =>
    api.metricsExplorer.metrics.totals.get('authorization', metric, query, options)
  const [previous, payments, rate] = await Promise.all([
    api.metricsExplorer.summary.get(earlier, options),
    totals('transactions'),
    totals('auth_rate'),
  ])
  return { current, previous, payments: payments.series.current, rate: rate.series.current }
}

export type Figures = Awaited<ReturnType<typeof loadFigures>>
export type CurrencyFigures = MetricsExplorerSummary['currencies'][number]

/** Counts over all currencies; amounts of different currencies do not add up. */
export function countsOf({ currencies }: MetricsExplorerSummary) {
  const sum = (of: (each: CurrencyFigures) => number) =>
    currencies.reduce((total, each) => total + of(each), 0)
  const transactions = sum((each) => each.transactions)
  return {
    transactions,
    rate: transactions ? sum(({ authorized }) => authorized) / transactions : null,
    refunds: sum(({ refunds }) => refunds.count),
    disputes: sum(({ disputes }) => disputes.count),
  }
}
