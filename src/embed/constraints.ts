import type { Embed } from '../api/auth/token.ts'
import { badRequest, type Detail } from '../api/errors.ts'
import type { MemberRules } from './browser-members.ts'

/** Where the token pins these, the pinned value stands in the place of what the browser sends (SEMANTICS §1.4). */
export const replacedMembers = ['metadata', 'cart_items', 'connection_options'] as const

/** A request body's members as JSON has them. */
export type RequestMembers = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is RequestMembers => typeof value === 'object' && value !== null && !Array.isArray(value)

export const constrainsBuyer = (pins: Embed): boolean => pins.buyer_id !== undefined || pins.buyer_external_identifier !== undefined

export const DIFFERS_FROM_TOKEN = 'differs from the value that the token pins'

/** What is sent, with what the token fixes of it. Throws 400 where it contradicts the token, one detail for each member. */
export function withConstraints(given: RequestMembers, pins: Embed, rules: MemberRules, location: 'body' | 'query'): RequestMembers {
  const contradicted = Object.entries(rules).flatMap(([name, rule]) => (contradictsToken(given[name], rule, pins) ? [name] : []))
  if (contradicted.length > 0) throw refusedMembersError(location, Object.fromEntries(contradicted.map((name) => [`/${name}`, DIFFERS_FROM_TOKEN])))
  return { ...given, ...filledMembers(pins, rules), ...replacementMembers(pins, rules, location) }
}

/** A buyer that is pinned by one name may not be asked for by another. */
function contradictsToken(value: unknown, rule: MemberRules[string], pins: Embed): boolean {
  if ((value ?? null) === null || typeof rule === 'string') return false
  if ('same' in rule) return pins[rule.same] !== undefined && pins[rule.same] !== value
  return 'only' in rule && constrainsBuyer(pins) && pins[rule.only] !== value
}

/** A buyer is named once: by the id where the token has both. */
function filledMembers(pins: Embed, rules: MemberRules): RequestMembers {
  const pinned = Object.entries(rules).flatMap(([name, rule]) => {
    if (typeof rule === 'string' || !('filled' in rule)) return []
    const value = 'same' in rule ? pins[rule.same] : pins[rule.only]
    return value === undefined ? [] : [[name, value] as const]
  })
  const filled: RequestMembers = Object.fromEntries(pinned)
  return 'buyer_id' in filled && 'buyer_external_identifier' in filled ? { ...filled, buyer_external_identifier: undefined } : filled
}

/** A query has them as text. */
const replacementMembers = (pins: Embed, rules: MemberRules, location: 'body' | 'query'): RequestMembers =>
  Object.fromEntries(
    replacedMembers
      .filter((name) => name in rules && pins[name] !== undefined)
      .map((name) => [name, location === 'query' ? JSON.stringify(pins[name]) : pins[name]]),
  )

/** 400 that names each member. Parameters of a query are named without the slash of a pointer. */
export const refusedMembersError = (location: Detail['location'], problems: Readonly<Record<string, string>>) =>
  badRequest(
    'Request failed validation',
    Object.entries(problems).map(([pointer, message]) => ({
      location,
      pointer: location === 'body' ? pointer : pointer.slice(1),
      message,
      type: 'value_error',
    })),
  )
