import { shiftingIndicators } from '../three-d-secure/liability.ts'
import { SHOWN_BIN_DIGITS } from '../vault/cards/card.ts'
import { authorized } from './measure.ts'

/** A property by which the explorer groups and filters payments (semantics §16.7). */
interface Dimension {
  /** A payment has one value of a `value` or `flag`, or null, and any number of values of a `set`. */
  kind: 'value' | 'flag' | 'set'
  /**
   * SQL over a row `t` of `transactions`: text, or `text[]` for a set. A flag is '0' or '1'. Null: the
   * payment has no value.
   */
  sql: string
}

const value = (sql: string): Dimension => ({ kind: 'value', sql })
const flag = (sql: string): Dimension => ({
  kind: 'flag',
  sql: `(case ${sql} when true then '1' when false then '0' end)`,
})
const set = (sql: string): Dimension => ({ kind: 'set', sql })

const methodValue = (name: string) => value(`t.payment_method->>'${name}'`)
const authenticationSql = (name: string) => `t.three_d_secure#>>'{response_data,${name}}'`
/** Two digits, as schemes write it; merchants may leave out the zero. */
const eci = `lpad(${authenticationSql('eci')}, 2, '0')`
const shifting = shiftingIndicators
  .map(({ scheme, eci: indicator }) => `('${scheme}', '${indicator}')`)
  .join(', ')

/** The values of an expression over the payment's routing actions with this id. */
const ruleSet = (id: string, expression: string) =>
  set(
    `(select array_agg(distinct ${expression}) filter (where ${expression} is not null) from jsonb_array_elements(t.actions) action where action->>'id' = '${id}')`,
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
  /** Each pair as one value: `{"shop": "berlin"}`. */
  metadata: set(
    `(select array_agg(jsonb_build_object(pair.key, pair.value)::text) from jsonb_each(t.metadata) pair)`,
  ),
  method: value('t.method'),
  payment_method_bin: value(`left(t.payment_method->>'bin', ${SHOWN_BIN_DIGITS})`),
  payment_method_card_issuer_name: methodValue('card_issuer_name'),
  payment_method_card_type: methodValue('card_type'),
  /** The issuer's country of a card; the country of other methods. */
  payment_method_country: value(
    `coalesce(t.payment_method->>'issuer_country', t.payment_method->>'country')`,
  ),
  payment_method_scheme: methodValue('scheme'),
  payment_service_id: value('t.payment_service_id::text'),
  payment_source: value('t.payment_source'),
  raw_response_code: value(`t.facts->>'raw_response_code'`),
  rule_id_route_transaction: ruleSet('route-transaction', `action->>'rule_id'`),
  rule_id_skip_3ds: ruleSet('skip-3ds', `action->>'rule_id'`),
  /** `<rule>/<number>`: the share of the rule's split that the payment fell into, counted from 1. */
  rule_variant_id: ruleSet(
    'route-transaction',
    `(action->>'rule_id') || '/' || (action#>>'{outcome,split,variant}')`,
  ),
  three_d_secure_auth_resp: value(authenticationSql('authentication_response')),
  three_d_secure_eci: value(eci),
  three_d_secure_method: value(`t.three_d_secure->>'method'`),
} as const satisfies Record<string, Dimension>

export type DimensionName = keyof typeof dimensions

export const dimensionNames: readonly DimensionName[] = Object.keys(dimensions).filter(
  (name): name is DimensionName => Object.hasOwn(dimensions, name),
)
