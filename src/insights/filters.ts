import type { Clock } from '../base/clock.ts'
import { shownBin } from '../vault/cards/card.ts'
import type { TimeRange } from './columns/column.store.ts'
import { pairText } from './columns/payment-facts.ts'
import { readDatetimeRange } from './datetime-range.ts'
import { dimensionNames, dimensions } from './dimension.ts'
import type { MetricsExplorerFilters, MetricsExplorerMetric } from './explorer.schema.ts'
import type { Filter } from './tally.ts'

/** Stands in requests and answers for payments without a value. */
export const NO_VALUE = '\u0000'

/** Reads a query for a metric. `problems`: name of a parameter → message. */
export function readQuery(
  metric: MetricsExplorerMetric,
  query: MetricsExplorerFilters,
  clock: Clock,
): { span: TimeRange; filters: Filter[] } | { problems: Record<string, string> } {
  const span = readDatetimeRange(query.datetime_range, clock)
  const { filters, problems } = readFilters(query)
  const problem = currencyProblem(metric, query)
  if (problem) problems['currency'] = problem
  if (typeof span === 'string') return { problems: { ...problems, datetime_range: span } }
  return Object.keys(problems).length > 0 ? { problems } : { span, filters }
}

function readFilters(query: MetricsExplorerFilters): {
  filters: Filter[]
  problems: Record<string, string>
} {
  const filters: Filter[] = []
  const problems: Record<string, string> = {}
  for (const name of dimensionNames) {
    const texts = query[name]
    if (!texts || texts.length === 0) continue
    const values = texts.map((text) => (text === NO_VALUE ? null : text))
    const stored =
      name === 'metadata'
        ? values.map(readPair)
        : name === 'payment_method_bin'
          ? values.map(firstSix)
          : values
    if (stored.includes(undefined)) problems[name] = 'must be a JSON object of one pair of strings'
    else if (
      dimensions[name].kind === 'flag' &&
      !values.every((value) => value === null || value === '0' || value === '1')
    )
      problems[name] = 'must be "0" or "1"'
    else filters.push({ name, values: stored.filter((value) => value !== undefined) })
  }
  return { filters, problems }
}

const firstSix = (bin: string | null) => bin && shownBin(bin)

/**
 * The metric `volume` needs one currency, since amounts of different currencies do not add up. Undefined: no
 * problem.
 */
function currencyProblem(
  metric: MetricsExplorerMetric,
  { currency }: Pick<MetricsExplorerFilters, 'currency'>,
): string | undefined {
  if (metric !== 'volume' || currency?.length === 1) return undefined
  return currency?.length
    ? 'must be one for volume: amounts of different currencies do not add up'
    : 'is required for volume'
}

/** A pair of metadata in the form of the dimension's values; undefined: the text is no pair. */
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
