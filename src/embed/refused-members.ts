import type { Embed } from '../api/auth/token.ts'
import type { Connectors } from '../connectors/registry.ts'
import { type MemberRule, type MemberRules, paymentMethodVariant } from './browser-members.ts'
import { constrainsBuyer, DIFFERS_FROM_TOKEN, isObject, type RequestMembers, replacedMembers } from './constraints.ts'

/** What decides about a member besides the table. */
export interface RefusalContext {
  constraints: Embed
  connectors: Connectors
}

const MERCHANT_ONLY_PROBLEM = 'is for the merchant’s server to say: a browser’s token may not send it'

/** What a browser may not send of these members, by JSON pointer, and why. A member without a rule is refused. */
export function refusedMembers(given: RequestMembers, rules: MemberRules, say: RefusalContext, at = ''): Record<string, string> {
  const sent = Object.entries(given).filter(([, value]) => (value ?? null) !== null)
  return Object.assign({}, ...sent.map(([name, value]) => refusedMember(value, ruleOf(rules, name), say, `${at}/${name}`)))
}

const ruleOf = (rules: MemberRules, name: string): MemberRule => (Object.hasOwn(rules, name) ? rules[name] : undefined) ?? 'merchant'

function refusedMember(value: unknown, rule: MemberRule, say: RefusalContext, at: string): Record<string, string> {
  if (typeof rule !== 'string') return refusedValue(value, rule, say, at)
  if (isReplaced(at, say.constraints)) return {}
  switch (rule) {
    case 'browser':
      return {}
    case 'merchant':
      return { [at]: MERCHANT_ONLY_PROBLEM }
    case 'pinned-buyer':
      return value === false || constrainsBuyer(say.constraints) ? {} : { [at]: 'needs a token that pins the buyer' }
    case 'connector':
      return isObject(value) ? refusedConnectorOptions(value, say, at) : {}
  }
}

function refusedValue(value: unknown, rule: Exclude<MemberRule, string>, say: RefusalContext, at: string): Record<string, string> {
  if ('same' in rule) return say.constraints[rule.same] === undefined || say.constraints[rule.same] === value ? {} : { [at]: DIFFERS_FROM_TOKEN }
  if ('only' in rule) {
    if (say.constraints[rule.only] === value) return {}
    return { [at]: constrainsBuyer(say.constraints) ? DIFFERS_FROM_TOKEN : 'names a buyer: a browser’s token names none but the buyer that it pins' }
  }
  if ('members' in rule) {
    if (!Array.isArray(value)) return isObject(value) ? refusedMembers(value, rule.members, say, at) : {}
    if (rule.atMost !== undefined && value.length > rule.atMost) return { [at]: `may hold ${rule.atMost} entries at most with a browser’s token` }
    return Object.assign({}, ...value.map((entry, index) => (isObject(entry) ? refusedMembers(entry, rule.members, say, `${at}/${index}`) : {})))
  }
  if (!isObject(value)) return {}
  const name = paymentMethodVariant(value)
  const members = (Object.hasOwn(rule.variants, name) ? rule.variants[name] : rule.variants['other']) ?? 'merchant'
  return members === 'merchant' ? { [`${at}/method`]: MERCHANT_ONLY_PROBLEM } : refusedMembers(value, members, say, at)
}

/** The token's own value stands there by now. */
const isReplaced = (at: string, pins: Embed) => replacedMembers.some((name) => at === `/${name}` && pins[name] !== undefined)

/** Each connector says what of its options a browser may send; an option of no connector is refused whole. */
function refusedConnectorOptions(options: RequestMembers, { connectors }: RefusalContext, at: string): Record<string, string> {
  const refusedOf = ([id, given]: [string, unknown]) => {
    const open = connectors.get(id)?.definition.browserOptions ?? []
    const names = isObject(given) ? Object.keys(given).filter((name) => (given[name] ?? null) !== null && !open.includes(name)) : []
    return names.map((name) => [`${at}/${id}/${name}`, MERCHANT_ONLY_PROBLEM])
  }
  return Object.fromEntries(Object.entries(options).flatMap(refusedOf))
}
