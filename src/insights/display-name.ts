import { sql } from 'kysely'
import { isUuid } from '../api/values/uuid.ts'
import { schemeNames } from '../vault/payment-methods/card-scheme-definition.ts'
import { methodNames } from '../vault/payment-methods/payment-method-definition.ts'
import type { World } from '../world.ts'
import type { DimensionName } from './dimension.ts'

/** The display name of a value, with further data about it. */
export interface Named {
  display_name: string
  metadata: Record<string, string | boolean> | null
}

type Naming = (key: string) => Named

const named = (display_name: string): Named => ({ display_name, metadata: null })

/** `insufficient_funds` → `Insufficient funds`. */
const sentenceCase: Naming = (key) =>
  named(`${key.charAt(0).toUpperCase()}${key.slice(1).replaceAll('_', ' ')}`)

const fromTable =
  (names: Readonly<Record<string, string>>): Naming =>
  (key) =>
    named((Object.hasOwn(names, key) && names[key]) || key)
const flags =
  (no: string, yes: string): Naming =>
  (key) =>
    named(key === '1' ? yes : no)

const regions = new Intl.DisplayNames(['en'], { type: 'region' })
const currencies = new Intl.DisplayNames(['en'], { type: 'currency' })
const localized =
  (names: Intl.DisplayNames, code: RegExp): Naming =>
  (key) =>
    named(code.test(key) ? (names.of(key) ?? key) : key)
const country = localized(regions, /^[A-Z]{2}$/)

const namings: Partial<Record<DimensionName, Naming>> = {
  authentication_outcome: sentenceCase,
  authorized: flags('Not authorized', 'Authorized'),
  country,
  currency: localized(currencies, /^[A-Z]{3}$/),
  error_code: sentenceCase,
  instrument_type: sentenceCase,
  is_subsequent_payment: flags('First payment', 'Subsequent payment'),
  liability_shifted: flags('Merchant is liable', 'Issuer is liable'),
  merchant_initiated: flags('Customer-initiated', 'Merchant-initiated'),
  metadata: (key) => {
    const pairs: Record<string, string> = JSON.parse(key)
    return { display_name: Object.entries(pairs).flat().join(': '), metadata: pairs }
  },
  method: fromTable(methodNames),
  payment_method_card_type: sentenceCase,
  payment_method_country: country,
  payment_method_scheme: fromTable(schemeNames),
  payment_source: sentenceCase,
  three_d_secure_method: sentenceCase,
}

const namesWithoutValue: Partial<Record<DimensionName, string>> = {
  authentication_outcome: 'Without 3-D Secure',
  country: 'No country',
  error_code: 'No error',
  metadata: 'No metadata',
  payment_method_bin: 'No card',
  payment_service_id: 'No payment service',
  rule_id_route_transaction: 'No rule',
  rule_id_skip_3ds: 'No rule',
  rule_variant_id: 'No share of a split',
  three_d_secure_auth_resp: 'Without 3-D Secure',
  three_d_secure_eci: 'Without 3-D Secure',
  three_d_secure_method: 'Without 3-D Secure',
}

/**
 * The name for payments without a value. `is_null` marks their line for programs that cannot show the NUL
 * character.
 */
export const nameWithoutValue = (by: DimensionName): Named => ({
  display_name: namesWithoutValue[by] ?? 'None',
  metadata: { is_null: true },
})

/** The display names of a dimension's values. Payment services and rules have their present names. */
export async function namesOf(
  world: Pick<World, 'db'>,
  account: string,
  by: DimensionName,
  keys: readonly string[],
): Promise<Naming> {
  if (by === 'payment_service_id') return paymentServiceNames(world, account, keys)
  if (by === 'rule_id_route_transaction' || by === 'rule_id_skip_3ds' || by === 'rule_variant_id')
    return ruleNames(world, account, keys)
  return namings[by] ?? named
}

async function paymentServiceNames(
  { db }: Pick<World, 'db'>,
  account: string,
  keys: readonly string[],
): Promise<Naming> {
  const services =
    keys.length === 0
      ? []
      : await db
          .selectFrom('payment_services')
          .selectAll()
          .where('merchant_account_id', '=', account)
          .where('id', 'in', keys)
          .execute()
  const servicesById = new Map(services.map((service) => [service.id, service]))
  return (key) => {
    const service = servicesById.get(key)
    if (!service) return named(key)
    const { display_name, payment_service_definition_id, method, active, deleted_at } = service
    return {
      display_name,
      metadata: { payment_service_definition_id, method, active, deleted: deleted_at !== null },
    }
  }
}

/** The names of rules in the newest versions of their flows that have them. */
async function ruleNames(
  { db }: Pick<World, 'db'>,
  account: string,
  keys: readonly string[],
): Promise<Naming> {
  const ids = [...new Set(keys.map(ruleOf))].filter(isUuid)
  const { rows } = await sql<{ id: string; name: string; flow: string; action: string }>`
    select distinct on (rule->>'id') rule->>'id' as id, rule->>'display_name' as name, flow, rule->>'action' as action
      from flow_rulesets, json_array_elements(rules) rule
     where merchant_account_id = ${account}
       and rule->>'id' = any(${ids}::text[])
     order by rule->>'id', version desc`.execute(db)
  const rules = new Map(rows.map((rule) => [rule.id, rule]))
  return (key) => {
    const rule = rules.get(ruleOf(key))
    const share = key.split('/')[1]
    const name = rule?.name ?? ruleOf(key)
    return {
      display_name: share === undefined ? name : `${name}, share ${share}`,
      metadata: rule ? { flow: rule.flow, action: rule.action } : null,
    }
  }
}

/** The rule of a key, which may also name a share of the rule's split: `<rule>/<number>`. */
const ruleOf = (key: string) => key.split('/')[0] ?? key
