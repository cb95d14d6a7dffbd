import { badRequest, type Detail } from '../api/errors.ts'
import type { Embed } from '../api/token.ts'
import type { Members } from './browser-members.ts'

/** Where the token pins these, the pinned value stands in the place of what the browser sends (SEMANTICS §1.4). */
export const replaced = ['metadata', 'cart_items', 'connection_options'] as const

/** A request body's members as JSON has them. */
export type Given = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Given => typeof value === 'object' && value !== null && !Array.isArray(value)

export const pinsBuyer = (pins: Embed): boolean => pins.buyer_id !== undefined || pins.buyer_external_identifier !== undefined

export const DIFFERS = 'differs from the value that the token pins'

/** What is sent, with what the token fixes of it. Throws 400 where it contradicts the token, one detail for each member. */
export function withPins(given: Given, pins: Embed, rules: Members, location: 'body' | 'query'): Given {
  const contradicted = Object.entries(rules).flatMap(([name, rule]) => (contradicts(given[name], rule, pins) ? [name] : []))
  if (contradicted.length > 0) throw refusal(location, Object.fromEntries(contradicted.map((name) => [`/${name}`, DIFFERS])))
  return { ...given, ...filledIn(pins, rules), ...replacedBy(pins, rules, location) }
}

/** A buyer that is pinned by one name may not be asked for by another. */
function contradicts(value: unknown, rule: Members[string], pins: Embed): boolean {
  if ((value ?? null) === null || typeof rule === 'string') return false
  if ('same' in rule) return pins[rule.same] !== undefined && pins[rule.same] !== value
  return 'only' in rule && pinsBuyer(pins) && pins[rule.only] !== value
}

/** A buyer is named once: by the id where the token has both. */
function filledIn(pins: Embed, rules: Members): Given {
  const pinned = Object.entries(rules).flatMap(([name, rule]) => {
    if (typeof rule === 'string' || !('filled' in rule)) return []
    const value = 'same' in rule ? pins[rule.same] : pins[rule.only]
    return value === undefined ? [] : [[name, value] as const]
  })
  const filled: Given = Object.fromEntries(pinned)
  return 'buyer_id' in filled && 'buyer_external_identifier' in filled ? { ...filled, buyer_external_identifier: undefined } : filled
}

/** A query has them as text. */
const replacedBy = (pins: Embed, rules: Members, location: 'body' | 'query'): Given =>
  Object.fromEntries(
    replaced
      .filter((name) => name in rules && pins[name] !== undefined)
      .map((name) => [name, location === 'query' ? JSON.stringify(pins[name]) : pins[name]]),
  )

/** 400 that names each member. Parameters of a query are named without the slash of a pointer. */
export const refusal = (location: Detail['location'], problems: Readonly<Record<string, string>>) =>
  badRequest(
    'Request failed validation',
    Object.entries(problems).map(([pointer, message]) => ({
      location,
      pointer: location === 'body' ? pointer : pointer.slice(1),
      message,
      type: 'value_error',
    })),
  )
