import { shownBin } from '../vault/cards/card.ts'
import { pairText } from './columns/payment-facts.ts'
import { dimensionNames, dimensions } from './dimension.ts'
import type { MetricsExplorerFilters, MetricsExplorerMetric } from './explorer.schema.ts'
import type { Filter } from './tally.ts'

/** How requests and answers write that a payment has no value. */
export const NO_VALUE = '\u0000'

/** Filters as they are asked, and by its name what is wrong with one. */
export function readFilters(given: MetricsExplorerFilters): { filters: Filter[]; problems: Record<string, string> } {
  const filters: Filter[] = []
  const problems: Record<string, string> = {}
  for (const name of dimensionNames) {
    const values = given[name]
    if (!values || values.length === 0) continue
    const known = values.map((value) => (value === NO_VALUE ? null : value))
    const read = name === 'metadata' ? known.map(readPair) : name === 'payment_method_bin' ? known.map(firstSix) : known
    if (read.includes(undefined)) problems[name] = 'must be a JSON object of one pair of strings'
    else if (dimensions[name].kind === 'flag' && !known.every((value) => value === null || value === '0' || value === '1'))
      problems[name] = 'must be "0" or "1"'
    else filters.push({ name, values: read.filter((value) => value !== undefined) })
  }
  return { filters, problems }
}

const firstSix = (bin: string | null) => bin && shownBin(bin)

/** Amounts of different currencies do not add up. Undefined: nothing is wrong. */
export function currencyProblem(metric: MetricsExplorerMetric, { currency }: Pick<MetricsExplorerFilters, 'currency'>): string | undefined {
  if (metric !== 'volume' || currency?.length === 1) return undefined
  return currency?.length ? 'must be one for volume: amounts of different currencies do not add up' : 'is required for volume'
}

/** As payments have it; undefined: it is none. */
function readPair(text: string | null): string | null | undefined {
  if (text === null) return null
  try {
    const pairs: unknown = JSON.parse(text)
    if (typeof pairs !== 'object' || pairs === null || Array.isArray(pairs)) return undefined
    const [pair, another] = Object.entries(pairs)
    return pair && !another && typeof pair[1] === 'string' ? pairText(pair[0], pair[1]) : undefined
  } catch {
    return undefined
  }
}
