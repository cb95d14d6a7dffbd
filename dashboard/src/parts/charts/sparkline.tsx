import type { ReactNode } from 'react'

const WIDTH = 100
const HEIGHT = 24
/** The line's ends and peaks stay within the picture. */
const EDGE = 2

/**
 * A small curve from 0 to the greatest of the values; null leaves a gap, and without any there is none. It shows no figures, so a table must
 * stand behind it.
 */
export function Sparkline({ values }: { values: readonly (number | null)[] }): ReactNode {
  const most = Math.max(...values.map((value) => value ?? 0))
  if (!(most > 0)) return null
  const step = (WIDTH - 2 * EDGE) / Math.max(1, values.length - 1)
  const height = (value: number) => HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE)
  let isDrawing = false
  const path = values
    .map((value, index) => {
      const command = isDrawing ? 'L' : 'M'
      isDrawing = value !== null
      // a point without neighbours is drawn by the line's round ends
      const point = value === null ? '' : `${(EDGE + index * step).toFixed(1)} ${height(value).toFixed(1)}`
      return point && (command === 'M' ? `M${point}h0` : `L${point}`)
    })
    .join('')
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-6 w-full text-accent"
    >
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeLinecap="round"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
