export const median = (values: readonly number[]): number =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  )

/** Of values in ascending order. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const at = share * (sorted.length - 1)
  const below = sorted[Math.floor(at)] ?? Number.NaN
  const above = sorted[Math.ceil(at)] ?? Number.NaN
  return below + (above - below) * (at - Math.floor(at))
}

/** The median of several rounds with its 95 % bootstrap confidence interval. */
export interface Figure {
  median: number
  low: number
  high: number
}

const RESAMPLES = 2_000

export function figure(values: readonly number[]): Figure {
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(values.map(() => values[Math.floor(Math.random() * values.length)] ?? Number.NaN)),
  )
  const sorted = medians.sort((a, b) => a - b)
  return { median: median(values), low: quantile(sorted, 0.025), high: quantile(sorted, 0.975) }
}
