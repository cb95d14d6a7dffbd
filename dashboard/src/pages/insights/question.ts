import type { GetMetricsExplorerModuleQuery } from '@railyard/client'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { Metric, Source } from '../../api/metrics.ts'
import { insightWords as words } from '../../words/finance/insights.ts'

export type Module = keyof typeof words.modules

/** What a person asks: all of it is in the address. */
export interface Question {
  source: Source
  metric: Metric
  range: string
  /** Empty: no breakdown. */
  by: Module | ''
  compare: boolean
  /** The values of each filter, by the API's name of the filter. */
  filters: Readonly<Record<string, readonly string[]>>
}

export const modules = Object.keys(words.modules) as Module[]

const otherNames: Partial<Record<Module, string>> = {
  payment_service: 'payment_service_id',
  rule_route_transaction: 'rule_id_route_transaction',
  rule_skip_3ds: 'rule_id_skip_3ds',
}

/** The filter that takes a value of a module (docs/guides/insights.md). */
export const filterOf = (module: Module): string => otherNames[module] ?? module

export const moduleOf = (filter: string): Module | undefined =>
  modules.find((module) => filterOf(module) === filter)

const known = <Value extends string>(names: object, text: string | null, otherwise: Value): Value =>
  text !== null && Object.hasOwn(names, text) ? (text as Value) : otherwise

function questionOf(params: URLSearchParams): Question {
  const filters = modules
    .map((module) => [filterOf(module), params.getAll(filterOf(module))] as const)
    .filter(([, values]) => values.length > 0)
  return {
    source: known<Source>(words.sources, params.get('source'), 'authorization'),
    metric: known<Metric>(words.metrics, params.get('metric'), 'auth_rate'),
    range: params.get('range') ?? 'P7D/now',
    by: known<Module | ''>(words.modules, params.get('by'), params.has('by') ? '' : 'payment_service'),
    compare: params.get('compare') !== 'false',
    filters: Object.fromEntries(filters),
  }
}

const toParams = ({ source, metric, range, by, compare, filters }: Question): URLSearchParams =>
  new URLSearchParams([
    ['source', source],
    ['metric', metric],
    ['range', range],
    ['by', by],
    ...(compare ? [] : [['compare', 'false']]),
    ...Object.entries(filters).flatMap(([name, values]) => values.map((value) => [name, value])),
  ])

/** The question in the address, and how to ask another one. */
export function useQuestion(): [Question, (part: Partial<Question>) => void] {
  const [params, setParams] = useSearchParams()
  const question = useMemo(() => questionOf(params), [params])
  return [question, (part) => setParams(toParams({ ...questionOf(params), ...part }))]
}

/** The question as the API takes it. The filters are those of this version's list of names. */
export const queryOf = ({ range, filters }: Question, currency: string | undefined) =>
  ({
    datetime_range: range,
    ...filters,
    ...(currency && { currency: [currency] }),
  }) as GetMetricsExplorerModuleQuery
