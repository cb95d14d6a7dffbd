import type { FieldDefinition } from './connector.ts'
import type { VoidableField } from './field.schema.ts'

/** Fields by their keys, the secret ones included. */
export type FieldValues = Readonly<Record<string, string>>

/** Given fields replace those of the same key; an empty one removes it. */
export function withFields(values: FieldValues, fields: readonly VoidableField[]): FieldValues {
  const given = fields.map(({ key, value }): [string, string] => [key, value])
  const merged = new Map([...Object.entries(values), ...given])
  return Object.fromEntries([...merged].filter(([, value]) => value !== ''))
}

/** What is wrong with a service's fields, by JSON pointer: `given` is what the request says, `values` what is there afterwards. Empty: nothing. */
export function fieldProblems(
  pointer: string,
  known: readonly FieldDefinition[],
  given: readonly VoidableField[],
  values: FieldValues,
): Record<string, string> {
  const keys = given.map(({ key }) => key)
  const wrongKeys = keys.flatMap((key, index): [string, string][] => {
    if (!known.some((field) => field.key === key)) return [[`${pointer}/${index}/key`, `${key} is not a field of this payment service`]]
    return keys.indexOf(key) < index ? [[`${pointer}/${index}/key`, `${key} is given twice`]] : []
  })
  const missing = known.filter(({ key, required }) => required && values[key] === undefined)
  const lacking = missing.map(({ key }): [string, string] => {
    const index = keys.lastIndexOf(key)
    return index < 0 ? [pointer, `must include ${missing.map((field) => field.key).join(', ')}`] : [`${pointer}/${index}/value`, `${key} is required`]
  })
  const wrongValues = given.flatMap(({ key, value }, index): [string, string][] => {
    const { values: allowed, unavailable = {} } = known.find((field) => field.key === key) ?? {}
    if (!allowed || value === '' || allowed.includes(value)) return []
    const reason = Object.hasOwn(unavailable, value) ? `: ${unavailable[value]}` : ''
    return [[`${pointer}/${index}/value`, `${key} must be one of ${allowed.join(', ')}${reason}`]]
  })
  return Object.fromEntries([...wrongKeys, ...lacking, ...wrongValues])
}
