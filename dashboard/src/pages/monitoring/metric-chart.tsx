import type { MonitoringMetric, MonitoringThresholdAlertingPolicy } from '@railyard/client'
import { type ReactNode, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { formatPercent } from '../../api/metrics.ts'
import { Chart } from '../../parts/charts/chart.tsx'
import { SelectField } from '../../parts/forms/field.tsx'
import { monitoringWords as words } from '../../words/finance/monitoring.ts'

const DEFAULT_PERIOD = 'PT3H/now'

/** The span of samples that is shown: `period` in the address. */
export function usePeriod(): string {
  const period = useSearchParams()[0].get('period') ?? DEFAULT_PERIOD
  return Object.hasOwn(words.periods, period) ? period : DEFAULT_PERIOD
}

export function PeriodField(): ReactNode {
  const [, setParams] = useSearchParams()
  return (
    <div className="w-40">
      <SelectField
        label={words.period}
        value={usePeriod()}
        options={Object.entries(words.periods)}
        onChange={(period) =>
          setParams((before) => {
            const after = new URLSearchParams(before)
            after.set('period', period)
            return after
          })
        }
      />
    </div>
  )
}

/** The limits of a policy, as lines of a chart. */
export const thresholdsOf = (
  policy: MonitoringThresholdAlertingPolicy | null,
): { name: string; value: number }[] =>
  [
    { name: words.below, value: policy?.params.alert_lt },
    { name: words.above, value: policy?.params.alert_gt },
  ].flatMap(({ name, value }) =>
    value === null || value === undefined ? [] : [{ name, value: Number(value) }],
  )

export function MetricChart({ metric, height }: { metric: MonitoringMetric; height?: number }): ReactNode {
  const samples = metric.samples_view ?? []
  const times = useMemo(() => samples.map(({ timestamp }) => new Date(timestamp).getTime()), [samples])
  if (samples.length === 0) return <p className="py-4 text-sm text-ink-3">{words.noSamples}</p>
  return (
    <Chart
      label={`${metric.display_name}. ${words.rate}`}
      times={times}
      series={[
        { name: words.rate, values: samples.map(({ value }) => value) },
        ...(samples.some(({ healthy }) => healthy === false)
          ? [
              {
                name: words.unhealthy,
                values: samples.map(({ value, healthy }) => (healthy === false ? value : null)),
                look: 'mark' as const,
              },
            ]
          : []),
      ]}
      thresholds={thresholdsOf(metric.alerting_policy)}
      format={formatPercent}
      least={0}
      most={1}
      {...(height && { height })}
    />
  )
}

/** The newest value of a metric. */
export const newest = ({ samples_view }: MonitoringMetric): string | undefined => {
  const value = samples_view?.at(-1)?.value
  return value === null || value === undefined ? undefined : formatPercent(value)
}
