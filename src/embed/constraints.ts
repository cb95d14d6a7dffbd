import type { Embed } from '../api/auth/token.ts'
import { badRequest, type Detail } from '../api/errors.ts'
import type { MemberRules } from './browser-members.ts'

/** If the token constrains one of these members, its value replaces the browser's (semantics §1.4). */
export const replacedMembers = ['metadata', 'cart_items', 'connection_options'] as const

/** The members of a request's body or query. */
export type RequestMembers = Readonly<Record<string, unknown>>

export const constrainsBuyer = ({ buyer_id, buyer_external_identifier }: Embed): boolean =>
  buyer_id !== undefined || buyer_external_identifier !== undefined

export const DIFFERS_FROM_TOKEN = 'differs from the value that the token pins'

/**
 * The members that a browser has sent, with the token's values filled in. Throws 400 if they contradict the
 * token, with one detail for each member.
 */
export function withConstraints(
  sent: RequestMembers,
  constraints: Embed,
  rules: MemberRules,
  location: 'body' | 'query',
): RequestMembers {
  const contradicting = Object.entries(rules).flatMap(([name, rule]) =>
    contradictsToken(sent[name], rule, constraints) ? [name] : [],
  )
  if (contradicting.length > 0)
    throw refusedMembersError(
      location,
      Object.fromEntries(contradicting.map((name) => [`/${name}`, DIFFERS_FROM_TOKEN])),
    )
  return {
    ...sent,
    ...defaultMembers(constraints, rules),
    ...replacementMembers(constraints, rules, location),
  }
}

/** If the token constrains the buyer by one of its two names, a browser may not name one by the other. */
function contradictsToken(value: unknown, rule: MemberRules[string], constraints: Embed): boolean {
  if ((value ?? null) === null || typeof rule === 'string') return false
  if ('mustEqual' in rule)
    return constraints[rule.mustEqual] !== undefined && constraints[rule.mustEqual] !== value
  return (
    'onlyConstrained' in rule && constrainsBuyer(constraints) && constraints[rule.onlyConstrained] !== value
  )
}

/** The members that the token fills in. A buyer is named once: by the id if the token has both names. */
function defaultMembers(constraints: Embed, rules: MemberRules): RequestMembers {
  const constrained = Object.entries(rules).flatMap(([name, rule]) => {
    if (typeof rule === 'string' || !('isDefault' in rule)) return []
    const value = constraints['mustEqual' in rule ? rule.mustEqual : rule.onlyConstrained]
    return value === undefined ? [] : [[name, value] as const]
  })
  const members: RequestMembers = Object.fromEntries(constrained)
  return 'buyer_id' in members && 'buyer_external_identifier' in members
    ? { ...members, buyer_external_identifier: undefined }
    : members
}

/** The members whose values the token replaces; in a query they are JSON text. */
const replacementMembers = (
  constraints: Embed,
  rules: MemberRules,
  location: 'body' | 'query',
): RequestMembers =>
  Object.fromEntries(
    replacedMembers
      .filter((name) => name in rules && constraints[name] !== undefined)
      .map((name) => [name, location === 'query' ? JSON.stringify(constraints[name]) : constraints[name]]),
  )

/**
 * 400 with a detail for each member. `problems` are by JSON pointer; a query parameter is named without the
 * pointer's slash.
 */
export const refusedMembersError = (
  location: Detail['location'],
  problems: Readonly<Record<string, string>>,
) =>
  badRequest(
    'Request failed validation',
    Object.entries(problems).map(([pointer, message]) => ({
      location,
      pointer: location === 'body' ? pointer : pointer.slice(1),
      message,
      type: 'value_error',
    })),
  )
