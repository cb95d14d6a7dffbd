import { type Static, Type } from 'typebox'
import { Closed, Described, Timestamp } from '../api/schema.ts'
import { MetricsExplorerFilters } from './explorer.schema.ts'

const Count = Type.Integer({ minimum: 0 })
const Sum = Closed('MetricsExplorerSummarySum', {
  count: Described(Count, 'How many'),
  amount: Described(Type.Integer(), 'In the smallest unit of the currency'),
})

export const MetricsExplorerSummary = Closed('MetricsExplorerSummary', {
  type: Type.Literal('metrics-explorer.summary'),
  from: Described(Timestamp, 'When the period begins'),
  to: Described(Timestamp, 'When it ends'),
  currencies: Described(
    Type.Array(
      Closed('MetricsExplorerSummaryCurrency', {
        currency: Type.String(),
        transactions: Described(Count, 'Processed payments'),
        authorized: Described(Count, 'Those of them that were authorized'),
        volume: Described(Type.Integer(), 'The authorized amounts, in the smallest unit'),
        refunds: Sum,
        disputes: Sum,
      }),
    ),
    'The most frequent first',
  ),
})
export type MetricsExplorerSummary = Static<typeof MetricsExplorerSummary>

export const SummaryQuery = Type.Object(
  {
    datetime_range: Described(
      MetricsExplorerFilters.properties.datetime_range,
      'The period, an ISO 8601 interval as for the metrics. The end does not belong to it',
    ),
  },
  { additionalProperties: false },
)
