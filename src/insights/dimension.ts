import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { shiftingIndicators } from '../three-d-secure/liability.ts'
import { SHOWN_BIN_DIGITS } from '../vault/cards/card.ts'
import { authorized } from './measure.ts'

/** How the explorer takes payments apart (SEMANTICS §16.7). A payment has one value of a `value` or `flag`, maybe null, and any number of a `set`. */
interface Dimension {
  kind: 'value' | 'flag' | 'set'
  /** Over a row `t` of `transactions`: text, `text[]` for a set. A flag is '0' or '1'. Null: the payment has none. */
  sql: string
}

const value = (sql: string): Dimension => ({ kind: 'value', sql })
const flag = (sql: string): Dimension => ({ kind: 'flag', sql: `(case ${sql} when true then '1' when false then '0' end)` })
const set = (sql: string): Dimension => ({ kind: 'set', sql })

const ofMethod = (name: string) => value(`t.payment_method->>'${name}'`)
const ofAuthentication = (name: string) => `t.three_d_secure#>>'{response_data,${name}}'`
/** Two digits, as schemes write it; merchants may leave out the zero. */
const eci = `lpad(${ofAuthentication('eci')}, 2, '0')`
const shifting = shiftingIndicators.map(({ scheme, eci: indicator }) => `('${scheme}', '${indicator}')`).join(', ')

/** What flow rules with this action decided of a payment. */
const ofRules = (action: string, what: string) =>
  set(
    `(select array_agg(distinct ${what}) filter (where ${what} is not null) from jsonb_array_elements(t.actions) action where action->>'id' = '${action}')`,
  )

export const dimensions = {
  authentication_outcome: value(`t.three_d_secure->>'status'`),
  authorized: flag(authorized),
  country: value('t.country'),
  currency: value('t.currency'),
  error_code: value('t.error_code'),
  instrument_type: value('t.instrument_type'),
  is_subsequent_payment: flag('t.is_subsequent_payment'),
  liability_shifted: flag(
    `(case when t.three_d_secure is not null then coalesce((t.payment_method->>'scheme', ${eci}) in (${shifting}), false) end)`,
  ),
  merchant_initiated: flag('t.merchant_initiated'),
  /** Each pair by itself: `{"shop": "berlin"}`. */
  metadata: set(`(select array_agg(jsonb_build_object(pair.key, pair.value)::text) from jsonb_each(t.metadata) pair)`),
  method: value('t.method'),
  payment_method_bin: value(`left(t.payment_method->>'bin', ${SHOWN_BIN_DIGITS})`),
  payment_method_card_issuer_name: ofMethod('card_issuer_name'),
  payment_method_card_type: ofMethod('card_type'),
  /** The issuer's country of a card, the method's own of everything else. */
  payment_method_country: value(`coalesce(t.payment_method->>'issuer_country', t.payment_method->>'country')`),
  payment_method_scheme: ofMethod('scheme'),
  payment_service_id: value('t.payment_service_id::text'),
  payment_source: value('t.payment_source'),
  raw_response_code: value(`t.facts->>'raw_response_code'`),
  rule_id_route_transaction: ofRules('route-transaction', `action->>'rule_id'`),
  rule_id_skip_3ds: ofRules('skip-3ds', `action->>'rule_id'`),
  /** `<rule>/<number>`: the share of a rule's split that the payment fell into, from 1. */
  rule_variant_id: ofRules('route-transaction', `(action->>'rule_id') || '/' || (action#>>'{outcome,split,variant}')`),
  three_d_secure_auth_resp: value(ofAuthentication('authentication_response')),
  three_d_secure_eci: value(eci),
  three_d_secure_method: value(`t.three_d_secure->>'method'`),
} as const satisfies Record<string, Dimension>

export type DimensionName = keyof typeof dimensions

export const dimensionNames: readonly DimensionName[] = Object.keys(dimensions).filter((name): name is DimensionName =>
  Object.hasOwn(dimensions, name),
)

/** Which payments have one of these values; null stands for those that have none. Values are compared as text: one that cannot be is simply nobody's. */
export function hasOneOf(name: DimensionName, values: readonly (string | null)[]): RawBuilder<SqlBool> {
  const { kind, sql: expression }: Dimension = dimensions[name]
  const column = sql.raw<string>(expression)
  const known = values.filter((given) => given !== null)
  const some = kind === 'set' ? sql`${column} && ${known}::text[]` : sql`${column} = any(${known}::text[])`
  return values.includes(null) ? sql<SqlBool>`(coalesce(${some}, false) or ${column} is null)` : sql<SqlBool>`coalesce(${some}, false)`
}
