import { Type } from 'typebox'
import { Currency, Described, Text, Uuid, Words } from '../../api/schema.ts'
import {
  MetricsExplorerMetric,
  MetricsExplorerModule,
  type MetricsExplorerTotalResponse,
  type ModuleResponse,
} from '../../insights/explorer.schema.ts'
import { read } from '../call-api.ts'
import { Input, Output, reads, tool } from '../tool.ts'
import { marked } from '../untrusted.ts'

const optional = Type.Optional
const MAX_ROWS = 50

export const getInsights = tool({
  name: 'get_insights',
  title: 'Get insights',
  description:
    'Counts, volumes and authorization rates of payments within a range of time: the total with the period before, or, with `by`, a row for each value, the greatest first. To find out why fewer payments succeed, ask for `transactions` by `error_code` and `auth_rate` by `payment_service`.',
  input: Input({
    metric: Described(
      MetricsExplorerMetric,
      '`auth_rate`: the share that was authorized, 0 to 1. `transactions`: a count. `volume`: smallest units, and needs one currency',
    ),
    range: Described(
      Text(1, 200),
      'An ISO 8601 interval: `P7D/now`, `2026-11-01T00:00:00Z/2026-11-08T00:00:00Z`',
    ),
    by: optional(Described(MetricsExplorerModule, 'A row for each value of this')),
    currency: optional(Currency),
    error_code: optional(Text(1, 100)),
    payment_service_id: optional(Uuid),
    method: optional(Text(1, 50)),
    authorized: optional(Type.Boolean()),
    source: optional(Words('authorization', 'authentication', 'monitoring')),
  }),
  output: Output({
    total: Type.Union([Type.Unknown(), Type.Null()]),
    rows: Type.Union([Type.Array(Type.Unknown()), Type.Null()]),
    rows_left_out: Type.Integer(),
  }),
  annotations: reads,
  scopes: ['metrics-explorer.read'],
  async run({ metric, range, by, source = 'authorization', authorized, ...filters }, { call }) {
    const path = `/metrics-explorer/${source}/metrics/${metric}`
    const query = {
      datetime_range: range,
      ...Object.fromEntries(
        Object.entries(filters).map(([name, value]) => [name, value === undefined ? undefined : [value]]),
      ),
      ...(authorized !== undefined && { authorized: [authorized ? '1' : '0'] }),
    }
    if (by === undefined) {
      const total = await read<MetricsExplorerTotalResponse>(call, `${path}/totals`, query)
      return { total: { series: total.series, summary: total.summary }, rows: null, rows_left_out: 0 }
    }
    const rows = await read<ModuleResponse[]>(call, `${path}/modules/${by}`, query)
    return {
      total: null,
      rows: rows.slice(0, MAX_ROWS).map(({ key, display_name, value, metadata }) => ({
        // a payment without a value has the NUL character as its key
        has_no_value: metadata?.['is_null'] === true,
        // an error code is shown as it is: it is a word of Railyard's own
        key: by === 'error_code' ? marked({ error_code: key }).error_code : marked(key),
        display_name: marked(display_name),
        value,
      })),
      rows_left_out: Math.max(0, rows.length - MAX_ROWS),
    }
  },
})
