import type { Embed } from '../api/auth/token.ts'
import { isJsonObject } from '../api/values/json-object.ts'
import type { Connectors } from '../connectors/registry.ts'
import { type MemberRule, type MemberRules, paymentMethodVariant } from './browser-members.ts'
import { constrainsBuyer, DIFFERS_FROM_TOKEN, type RequestMembers, replacedMembers } from './constraints.ts'

/** What decides about a member, beside its rule. */
export interface RefusalContext {
  constraints: Embed
  connectors: Connectors
}

const MERCHANT_ONLY_PROBLEM = 'is for the merchant’s server to say: a browser’s token may not send it'

/**
 * The members that a browser may not send, by JSON pointer, with the reason. A member without a rule is
 * refused.
 */
export function refusedMembers(
  members: RequestMembers,
  rules: MemberRules,
  context: RefusalContext,
  pointer = '',
): Record<string, string> {
  const sent = Object.entries(members).filter(([, value]) => (value ?? null) !== null)
  return Object.assign(
    {},
    ...sent.map(([name, value]) => refusedMember(value, ruleOf(rules, name), context, `${pointer}/${name}`)),
  )
}

const ruleOf = (rules: MemberRules, name: string): MemberRule =>
  (Object.hasOwn(rules, name) ? rules[name] : undefined) ?? 'merchant'

function refusedMember(
  value: unknown,
  rule: MemberRule,
  context: RefusalContext,
  pointer: string,
): Record<string, string> {
  if (typeof rule !== 'string') return refusedValue(value, rule, context, pointer)
  if (isReplaced(pointer, context.constraints)) return {}
  switch (rule) {
    case 'browser':
      return {}
    case 'merchant':
      return { [pointer]: MERCHANT_ONLY_PROBLEM }
    case 'constrained-buyer':
      return value === false || constrainsBuyer(context.constraints)
        ? {}
        : { [pointer]: 'needs a token that pins the buyer' }
    case 'connector':
      return isJsonObject(value) ? refusedConnectorOptions(value, context, pointer) : {}
  }
}

function refusedValue(
  value: unknown,
  rule: Exclude<MemberRule, string>,
  context: RefusalContext,
  pointer: string,
): Record<string, string> {
  const { constraints } = context
  if ('mustEqual' in rule) {
    const constraint = constraints[rule.mustEqual]
    return constraint === undefined || constraint === value ? {} : { [pointer]: DIFFERS_FROM_TOKEN }
  }
  if ('onlyConstrained' in rule) {
    if (constraints[rule.onlyConstrained] === value) return {}
    return {
      [pointer]: constrainsBuyer(constraints)
        ? DIFFERS_FROM_TOKEN
        : 'names a buyer: a browser’s token names none but the buyer that it pins',
    }
  }
  if ('members' in rule) {
    const { members, maxEntries } = rule
    const refusedEntry = (entry: unknown, at: string) =>
      isJsonObject(entry) ? refusedMembers(entry, members, context, at) : {}
    if (!Array.isArray(value)) return refusedEntry(value, pointer)
    if (maxEntries !== undefined && value.length > maxEntries)
      return { [pointer]: `may hold ${maxEntries} entries at most with a browser’s token` }
    return Object.assign({}, ...value.map((entry, index) => refusedEntry(entry, `${pointer}/${index}`)))
  }
  if (!isJsonObject(value)) return {}
  const variant = paymentMethodVariant(value)
  const rules =
    (Object.hasOwn(rule.variants, variant) ? rule.variants[variant] : rule.variants['other']) ?? 'merchant'
  return rules === 'merchant'
    ? { [`${pointer}/method`]: MERCHANT_ONLY_PROBLEM }
    : refusedMembers(value, rules, context, pointer)
}

/** Whether the token's value has replaced the browser's in this member. */
const isReplaced = (pointer: string, constraints: Embed) =>
  replacedMembers.some((name) => pointer === `/${name}` && constraints[name] !== undefined)

/**
 * Each connector declares which of its options a browser may send. Options of an unknown connector are
 * refused.
 */
function refusedConnectorOptions(
  connectionOptions: RequestMembers,
  { connectors }: RefusalContext,
  pointer: string,
): Record<string, string> {
  const refusedOptions = ([id, options]: [string, unknown]) => {
    const allowed = connectors.get(id)?.definition.browserOptions ?? []
    const names = isJsonObject(options)
      ? Object.keys(options).filter((name) => (options[name] ?? null) !== null && !allowed.includes(name))
      : []
    return names.map((name) => [`${pointer}/${id}/${name}`, MERCHANT_ONLY_PROBLEM])
  }
  return Object.fromEntries(Object.entries(connectionOptions).flatMap(refusedOptions))
}
