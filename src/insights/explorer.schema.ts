import { type Static, Type } from 'typebox'
import { Closed, Described, MapOf, Nullable, Text, Timestamp, Uuid, Words } from '../api/schema.ts'

export const MetricsExplorerSource = Words('authentication', 'authorization', 'monitoring')
export type MetricsExplorerSource = Static<typeof MetricsExplorerSource>

export const MetricsExplorerMetric = Words('volume', 'transactions', 'auth_rate')
export type MetricsExplorerMetric = Static<typeof MetricsExplorerMetric>

export const MetricsExplorerModule = Words(
  'authentication_outcome',
  'authorized',
  'country',
  'currency',
  'error_code',
  'instrument_type',
  'is_subsequent_payment',
  'liability_shifted',
  'merchant_initiated',
  'metadata',
  'method',
  'payment_method_bin',
  'payment_method_card_issuer_name',
  'payment_method_card_type',
  'payment_method_country',
  'payment_method_scheme',
  'payment_service',
  'payment_source',
  'raw_response_code',
  'rule_route_transaction',
  'rule_skip_3ds',
  'rule_variant_id',
  'three_d_secure_auth_resp',
  'three_d_secure_eci',
  'three_d_secure_method',
)
export type MetricsExplorerModule = Static<typeof MetricsExplorerModule>

const several = (meaning: string) =>
  Type.Optional(
    Nullable(Described(Type.Array(Type.String()), `${meaning}. The NUL character: payments without one`)),
  )
const flag = (meaning: string) => several(`${meaning}: "1" or "0"`)

/**
 * Values of one filter are alternatives, different filters all apply. A value that no payment has finds
 * nothing.
 */
const filters = {
  datetime_range: Described(
    Type.String({ maxLength: 200 }),
    'When the payments were created, an ISO 8601 interval: start/end, start/duration or duration/end, where start and end may be `now`, `hour_start` or `hour_end`. The end does not belong to it',
  ),
  authentication_outcome: several('What became of 3-D Secure'),
  authorized: flag('Whether they were authorized'),
  country: several('Any of these countries'),
  currency: several('Any of these currencies'),
  error_code: several('Any of these error codes'),
  instrument_type: several('Any of these kinds of instrument'),
  is_subsequent_payment: flag('Whether they follow an earlier payment of the buyer'),
  liability_shifted: flag('Whether the issuer is liable'),
  merchant_initiated: flag('Whether the merchant started them without the buyer'),
  metadata: several('JSON objects of one pair, any of which the metadata holds: {"shop":"berlin"}'),
  method: several('Any of these payment methods'),
  payment_method_bin: several('Any of these first six digits of cards; further digits are not compared'),
  payment_method_card_issuer_name: several('Any of these card issuers'),
  payment_method_card_type: several('Any of these card types'),
  payment_method_country: several('Any of these countries of the card’s issuer'),
  payment_method_scheme: several('Any of these card schemes'),
  payment_service_id: several('Any of these payment services'),
  payment_source: several('Any of these sources'),
  raw_response_code: several('Any of these codes of the payment service'),
  rule_id_route_transaction: several('Routed by any of these rules'),
  rule_id_skip_3ds: several('Spared 3-D Secure by any of these rules'),
  rule_variant_id: several('Routed by any of these shares of a rule’s split'),
  three_d_secure_auth_resp: several('Any of these authentication responses'),
  three_d_secure_eci: several('Any of these electronic commerce indicators, two digits'),
  three_d_secure_method: several('Asked in any of these ways'),
}

export const MetricsExplorerFilters = Type.Object(filters, {
  additionalProperties: false,
  title: 'MetricsExplorerFiltersQueryParams',
  'x-nul': true,
})
export type MetricsExplorerFilters = Static<typeof MetricsExplorerFilters>

export const TotalsQuery = Type.Object(
  {
    ...filters,
    exclude_previous: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Leaves out the previous period, so that the answer takes less time',
      }),
    ),
  },
  { additionalProperties: false, 'x-nul': true },
)

/** Smallest units for `volume`, a share from 0 to 1 for `auth_rate`; null: no payment was processed. */
const Value = Nullable(Type.Number())

export const ModuleResponse = Closed('ModuleResponse', {
  type: Type.Literal('metrics-explorer.module'),
  key: Described(
    Type.String(),
    'What a filter of the same name takes. Payments without a value have the NUL character (`\\u0000` in JSON, `%00` in a query); their `metadata` is `{"is_null": true}`',
  ),
  display_name: Type.String(),
  value: Value,
  metadata: Nullable(
    MapOf(Type.Unsafe<string | boolean>({ anyOf: [{ type: 'string' }, { type: 'boolean' }] })),
  ),
})
export type ModuleResponse = Static<typeof ModuleResponse>

const TotalSeries = Closed('MetricsExplorerTotalSeries', {
  first_interval: Described(
    Type.String(),
    'The start of the first value’s time span, and the length of each: an hour or a day',
  ),
  values: Type.Array(Value),
})
const TotalSummary = Closed('MetricsExplorerTotalSummary', { value: Value })

export const MetricsExplorerTotalResponse = Closed('MetricsExplorerTotalResponse', {
  type: Type.Literal('metrics-explorer.total'),
  series: Closed('MetricsExplorerTotalSeriesSet', { current: TotalSeries, previous: Nullable(TotalSeries) }),
  summary: Closed('MetricsExplorerTotalSummarySet', {
    current: TotalSummary,
    previous: Nullable(TotalSummary),
    delta: Described(
      Value,
      'From the period before: in per cent of it, and for `auth_rate` the difference. Null where there is nothing to compare with',
    ),
  }),
})
export type MetricsExplorerTotalResponse = Static<typeof MetricsExplorerTotalResponse>

export const MetricsExplorerPreset = Closed('MetricsExplorerPreset', {
  type: Type.Literal('metrics-explorer.preset'),
  id: Uuid,
  merchant_account_id: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  display_name: Type.String(),
  source: MetricsExplorerSource,
  metric: MetricsExplorerMetric,
  filters: MapOf(
    Type.Unsafe<string | string[]>({
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    }),
  ),
})
export type MetricsExplorerPreset = Static<typeof MetricsExplorerPreset>

export const MetricsExplorerPresetCreate = Type.Object(
  { display_name: Text(1, 255), metric: MetricsExplorerMetric, filters: MetricsExplorerFilters },
  { title: 'MetricsExplorerPresetCreate', additionalProperties: false, 'x-nul': true },
)
export type MetricsExplorerPresetCreate = Static<typeof MetricsExplorerPresetCreate>

export const MetricsExplorerPresetUpdate = Closed('MetricsExplorerPresetUpdate', {
  display_name: Text(1, 255),
})
