import type { Figure } from '../statistics.ts'

/** Student's t for 95 % of both sides; beyond 30 degrees of freedom the normal distribution's. */
const T95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
]

/**
 * The slope of a line through at least three points by least squares, in y for each x, with its 95 % confidence
 * interval.
 */
export function slope(points: readonly (readonly [x: number, y: number])[]): Figure {
  const count = points.length
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / count
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))]
  const spreadX = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0)
  const median = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0) / spreadX
  const residual = points.reduce((sum, [x, y]) => sum + (y - middleY - median * (x - middleX)) ** 2, 0)
  const half = (T95[count - 3] ?? 1.96) * Math.sqrt(residual / (count - 2) / spreadX)
  return { median, low: median - half, high: median + half }
}
