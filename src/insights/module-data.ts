import type { World } from '../world.ts'
import type { DimensionName } from './dimension.ts'
import { namesOf, nameWithoutValue } from './display-name.ts'
import type { MetricsExplorerMetric, MetricsExplorerModule, ModuleResponse } from './explorer.schema.ts'
import { NO_VALUE } from './filters.ts'
import { type TallyQuery, tally } from './tally.ts'
import { metricOf } from './totals.ts'

/** A limit, since metadata such as order numbers would give a line for each payment. */
const MAX_LINES = 1_000

const dimensionOf = (module: MetricsExplorerModule): DimensionName => {
  if (module === 'payment_service') return 'payment_service_id'
  if (module === 'rule_route_transaction') return 'rule_id_route_transaction'
  return module === 'rule_skip_3ds' ? 'rule_id_skip_3ds' : module
}

/** The metric for each value of the module's dimension, the greatest first. */
export async function moduleData(
  world: Pick<World, 'db'>,
  query: Omit<TallyQuery, 'by' | 'bucket' | 'withVolume'>,
  metric: MetricsExplorerMetric,
  module: MetricsExplorerModule,
): Promise<ModuleResponse[]> {
  const by = dimensionOf(module)
  const sums = await tally(world, { ...query, by, withVolume: metric === 'volume' })
  const lines = [...sums].map(([key, sum]) => ({ key, value: metricOf(metric, sum) }))
  const first = lines
    .sort((a, b) => (b.value ?? -1) - (a.value ?? -1) || ((a.key ?? NO_VALUE) < (b.key ?? NO_VALUE) ? -1 : 1))
    .slice(0, MAX_LINES)
  const nameOf = await namesOf(
    world,
    query.account,
    by,
    first.flatMap(({ key }) => key ?? []),
  )
  return first.map(({ key, value }) => ({
    type: 'metrics-explorer.module',
    key: key ?? NO_VALUE,
    value,
    ...(key === null ? nameWithoutValue(by) : nameOf(key)),
  }))
}
