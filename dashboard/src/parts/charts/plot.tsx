import { type ReactNode, useEffect, useRef, useState } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatShort } from '../../format/time.ts'
import { useZone } from '../../format/zone.tsx'
import { type ChartProps, type Series, shown } from './chart.tsx'

const colours = { main: '--accent', before: '--ink-3', mark: '--bad', threshold: '--bad' }
const swatches = { main: 'bg-accent', before: 'bg-ink-3', mark: 'bg-bad', threshold: 'bg-bad' }

/** A colour of style.css, as it is now: light or dark. */
const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name)

const DASH = [5, 4]

/** The canvas of a chart, with what the pointer is at. It is drawn again when the colours or the width change. */
export default function Plot({
  label,
  times,
  series,
  thresholds = [],
  format,
  formatAxis = format,
  least,
  most,
  height = 220,
}: ChartProps): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<number | null>(null)
  const { name: zone } = useZone()
  // what is drawn is told apart by its content: a page makes new arrays each time
  const content = JSON.stringify([times, series, thresholds, zone, least, most, height])

  // biome-ignore lint/correctness/useExhaustiveDependencies: `content` has what the chart is made of
  useEffect(() => {
    const element = place.current
    if (!element) return
    const plot = new UPlot(
      optionsOf(
        { label, times, series, thresholds, format, formatAxis, least, most, height },
        zone,
        setAt,
        element.clientWidth,
      ),
      dataOf({ times, series, thresholds }),
      element,
    )
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const redraw = () => plot.redraw(false)
    scheme.addEventListener('change', redraw)
    return () => {
      scheme.removeEventListener('change', redraw)
      resized.disconnect()
      plot.destroy()
    }
  }, [content])

  const time = at === null ? undefined : times[at]
  return (
    <div className="min-w-0">
      <p className="flex min-h-5 flex-wrap gap-x-4 text-xs text-ink-2">
        {series.map(({ name, values, look = 'main' }) => (
          <Entry key={name} swatch={swatches[look]}>
            {name} {at !== null && <b className="font-medium text-ink">{shown(values[at], format)}</b>}
          </Entry>
        ))}
        {thresholds.map(({ name, value }) => (
          <Entry key={name} swatch={swatches.threshold}>
            {name} {format(value)}
          </Entry>
        ))}
        {time !== undefined && (
          <span className="ml-auto">{formatShort(new Date(time).toISOString(), zone)}</span>
        )}
      </p>
      <div ref={place} role="img" aria-label={label} className="overflow-hidden" style={{ height }} />
    </div>
  )
}

const Entry = ({ swatch, children }: { swatch: string; children: ReactNode }): ReactNode => (
  <span className="inline-flex items-center gap-1.5">
    <span aria-hidden className={`h-0.5 w-3 ${swatch}`} />
    {children}
  </span>
)

type Drawn = Pick<ChartProps, 'times' | 'series' | 'thresholds'>

const dataOf = ({ times, series, thresholds = [] }: Drawn): UPlot.AlignedData => [
  times.map((time) => time / 1000),
  ...series.map(({ values }) => [...values]),
  ...thresholds.map(({ value }) => times.map(() => value)),
]

function optionsOf(
  { series, thresholds = [], format, formatAxis = format, least, most, height = 220 }: ChartProps,
  zone: string,
  setAt: (index: number | null) => void,
  width: number,
): UPlot.Options {
  const axis = (more: UPlot.Axis): UPlot.Axis => ({
    stroke: () => colour('--ink-3'),
    font: '12px "Inter Variable", system-ui, sans-serif',
    ticks: { show: false },
    ...more,
  })
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), zone),
    scales: { y: { range: (_plot, low, high) => spanOf(low, high, least, most) } },
    axes: [
      axis({ grid: { show: false } }),
      axis({
        values: (_plot, values) => values.map(formatAxis),
        size: (_plot, values) => 12 + 7 * Math.max(0, ...(values ?? []).map((text) => text.length)),
        grid: { stroke: () => colour('--line'), width: 1 },
      }),
    ],
    series: [{}, ...series.map(lineOf), ...thresholds.map(thresholdLine)],
    hooks: { setCursor: [({ cursor: { idx } }) => setAt(idx ?? null)] },
  }
}

const lineOf = ({ look = 'main' }: Series): UPlot.Series => ({
  stroke: () => colour(colours[look]),
  width: look === 'mark' ? 0 : 2,
  ...(look === 'before' && { dash: DASH }),
  ...(look === 'mark' && {
    paths: () => null,
    points: { show: true, size: 6, fill: () => colour(colours.mark) },
  }),
})

const thresholdLine = (): UPlot.Series => ({
  stroke: () => colour(colours.threshold),
  width: 1,
  dash: DASH,
  points: { show: false },
})

/** The values that the axis shows: some room around all of them, and none that cannot be. */
function spanOf(
  low: number | null,
  high: number | null,
  least = -Infinity,
  most = Infinity,
): [number, number] {
  if (low === null || high === null) return [Math.max(least, 0), Number.isFinite(most) ? most : 1]
  const room = (high - low) * 0.1 || Math.abs(high) * 0.1 || 1
  return [Math.max(least, low - room), Math.min(most, high + room)]
}
