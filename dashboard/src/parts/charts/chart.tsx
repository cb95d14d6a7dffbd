import { lazy, type ReactNode, Suspense, useState } from 'react'
import { formatShort } from '../../format/time.ts'
import { useZone } from '../../format/zone.tsx'
import { commonWords as words } from '../../words/common.ts'

/** The library is larger than everything else: it is loaded once a chart is shown. */
const Plot = lazy(() => import('./plot.tsx'))

export interface Series {
  name: string
  /** One for each time of the chart; null: there is none. */
  values: readonly (number | null)[]
  /** `before`: what it is compared with. `mark`: single points that matter. By default the main line. */
  look?: 'main' | 'before' | 'mark'
}

export interface ChartProps {
  /** What it shows, for those who do not see it, too. */
  label: string
  /** In milliseconds since 1970, in their order. */
  times: readonly number[]
  series: readonly Series[]
  /** Lines that values should not cross. */
  thresholds?: readonly { name: string; value: number }[]
  /** A value as people read it. */
  format: (value: number) => string
  /** The same, shorter. */
  formatAxis?: (value: number) => string
  /** Values that cannot be less or more, such as a share's: the chart shows none beyond them. */
  least?: number
  most?: number
  height?: number
}

/** Values over time, as a chart or as a table. */
export function Chart(props: ChartProps): ReactNode {
  const [isTable, setTable] = useState(false)
  const { height = 220 } = props
  return (
    <figure className="grid gap-2">
      {isTable ? (
        <ValueTable {...props} />
      ) : (
        <Suspense fallback={<div className="skeleton" style={{ height: height + 24 }} />}>
          <Plot {...props} height={height} />
        </Suspense>
      )}
      <figcaption className="text-right">
        <button
          type="button"
          // several charts of a page are told apart
          aria-label={words.of(isTable ? words.showChart : words.showTable, props.label)}
          className="py-1 text-xs text-ink-2 underline pointer-coarse:py-2"
          onClick={() => setTable(!isTable)}
        >
          {isTable ? words.showChart : words.showTable}
        </button>
      </figcaption>
    </figure>
  )
}

function ValueTable({ label, times, series, thresholds = [], format }: ChartProps): ReactNode {
  const { name: zone } = useZone()
  const head = 'border-b border-line bg-sunken px-3 py-1.5 text-xs font-medium text-ink-3'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div tabIndex={0} className="relative max-h-80 overflow-auto rounded-md border border-line">
      <table className="w-full text-sm">
        <caption className="sr-only">{label}</caption>
        <thead className="sticky top-0">
          <tr>
            <th scope="col" className={`${head} text-left`}>
              {words.time}
            </th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className={`${head} text-right`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => (
            <tr key={time}>
              <th scope="row" className="px-3 py-1 text-left font-normal text-ink-2">
                <time dateTime={new Date(time).toISOString()}>
                  {formatShort(new Date(time).toISOString(), zone)}
                </time>
              </th>
              {series.map(({ name, values }) => (
                <td key={name} className="px-3 py-1 text-right">
                  {shown(values[index], format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {thresholds.map(({ name, value }) => (
        <p key={name} className="border-t border-line px-3 py-1 text-xs text-ink-2">
          {name} {format(value)}
        </p>
      ))}
    </div>
  )
}

export const shown = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? words.none : format(value)
