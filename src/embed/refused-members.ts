import type { Embed } from '../api/token.ts'
import type { Connectors } from '../connectors/registry.ts'
import { type Members, type Rule, variantOf } from './browser-members.ts'
import { DIFFERS, type Given, isObject, pinsBuyer, replaced } from './pins.ts'

/** What decides about a member besides the table. */
export interface Say {
  pins: Embed
  connectors: Connectors
}

const MERCHANTS = 'is for the merchant’s server to say: a browser’s token may not send it'

/** What a browser may not send of these members, by JSON pointer, and why. A member without a rule is refused. */
export function refusedMembers(given: Given, rules: Members, say: Say, at = ''): Record<string, string> {
  const sent = Object.entries(given).filter(([, value]) => (value ?? null) !== null)
  return Object.assign({}, ...sent.map(([name, value]) => refused(value, ruleOf(rules, name), say, `${at}/${name}`)))
}

const ruleOf = (rules: Members, name: string): Rule => (Object.hasOwn(rules, name) ? rules[name] : undefined) ?? 'merchant'

function refused(value: unknown, rule: Rule, say: Say, at: string): Record<string, string> {
  if (typeof rule !== 'string') return refusedValue(value, rule, say, at)
  if (isReplaced(at, say.pins)) return {}
  switch (rule) {
    case 'browser':
      return {}
    case 'merchant':
      return { [at]: MERCHANTS }
    case 'pinned-buyer':
      return value === false || pinsBuyer(say.pins) ? {} : { [at]: 'needs a token that pins the buyer' }
    case 'connector':
      return isObject(value) ? refusedOptions(value, say, at) : {}
  }
}

function refusedValue(value: unknown, rule: Exclude<Rule, string>, say: Say, at: string): Record<string, string> {
  if ('same' in rule) return say.pins[rule.same] === undefined || say.pins[rule.same] === value ? {} : { [at]: DIFFERS }
  if ('only' in rule) {
    if (say.pins[rule.only] === value) return {}
    return { [at]: pinsBuyer(say.pins) ? DIFFERS : 'names a buyer: a browser’s token names none but the buyer that it pins' }
  }
  if ('members' in rule) {
    if (!Array.isArray(value)) return isObject(value) ? refusedMembers(value, rule.members, say, at) : {}
    if (rule.atMost !== undefined && value.length > rule.atMost) return { [at]: `may hold ${rule.atMost} entries at most with a browser’s token` }
    return Object.assign({}, ...value.map((entry, index) => (isObject(entry) ? refusedMembers(entry, rule.members, say, `${at}/${index}`) : {})))
  }
  if (!isObject(value)) return {}
  const name = variantOf(value)
  const members = (Object.hasOwn(rule.variants, name) ? rule.variants[name] : rule.variants['other']) ?? 'merchant'
  return members === 'merchant' ? { [`${at}/method`]: MERCHANTS } : refusedMembers(value, members, say, at)
}

/** The token's own value stands there by now. */
const isReplaced = (at: string, pins: Embed) => replaced.some((name) => at === `/${name}` && pins[name] !== undefined)

/** Each connector says what of its options a browser may send; an option of no connector is refused whole. */
function refusedOptions(options: Given, { connectors }: Say, at: string): Record<string, string> {
  const refusedOf = ([id, given]: [string, unknown]) => {
    const open = connectors.get(id)?.definition.browserOptions ?? []
    const names = isObject(given) ? Object.keys(given).filter((name) => (given[name] ?? null) !== null && !open.includes(name)) : []
    return names.map((name) => [`${at}/${id}/${name}`, MERCHANTS])
  }
  return Object.fromEntries(Object.entries(options).flatMap(refusedOf))
}
