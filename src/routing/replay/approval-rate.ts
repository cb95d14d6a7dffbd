/** A 95 % confidence interval of a share between 0 and 1. */
export interface Interval {
  low: number
  high: number
}

/** The number of attempts with an outcome, and how many were approved. */
export interface Tries {
  tried: number
  approved: number
}

/** 95 % of a normal distribution lie within this many standard deviations. */
const Z = 1.959964

/**
 * The score interval of one share (Wilson 1927). It holds with few tries, and with none or all approved.
 * `tried` is above 0.
 */
export function wilson({ tried, approved }: Tries): Interval {
  const share = approved / tried
  const z2 = Z * Z
  const centre = (share + z2 / (2 * tried)) / (1 + z2 / tried)
  const half = (Z * Math.sqrt((share * (1 - share)) / tried + z2 / (4 * tried * tried))) / (1 + z2 / tried)
  // with none or all approved the bound is the share itself, which rounding may miss
  return {
    low: Math.min(share, Math.max(0, centre - half)),
    high: Math.max(share, Math.min(1, centre + half)),
  }
}

export interface WeightedTries extends Tries {
  /** May be negative: a difference of two rates is a weighted sum too. */
  weight: number
}

export interface Estimate {
  value: number
  interval: Interval
}

/**
 * The weighted sum of independently observed shares, and its interval by the method of variance estimates
 * recovery (Zou and Donner 2008; for two shares it is Newcombe's score interval of 1998): each share
 * contributes the distance to its own Wilson bound, and distances add up as squares. For one share of weight
 * 1 it is Wilson's interval. `least` and `most` limit the sum.
 */
function weightedSum(
  cells: readonly WeightedTries[],
  { least, most }: { least: number; most: number },
): Estimate {
  let value = 0
  let below = 0
  let above = 0
  for (const cell of cells) {
    const share = cell.approved / cell.tried
    const { low, high } = wilson(cell)
    const [down, up] = cell.weight < 0 ? [high - share, share - low] : [share - low, high - share]
    value += cell.weight * share
    below += (cell.weight * down) ** 2
    above += (cell.weight * up) ** 2
  }
  const within = (bound: number) => Math.min(most, Math.max(least, bound))
  return {
    value: within(value),
    interval: { low: within(value - Math.sqrt(below)), high: within(value + Math.sqrt(above)) },
  }
}

/** A rate over transactions; the cells' weights add up to 1. */
export const weightedRate = (cells: readonly WeightedTries[]): Estimate =>
  weightedSum(cells, { least: 0, most: 1 })

/** The change of a rate. */
export const weightedDifference = (cells: readonly WeightedTries[]): Estimate =>
  weightedSum(cells, { least: -1, most: 1 })
