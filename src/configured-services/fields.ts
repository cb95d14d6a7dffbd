import { throwProblems } from '../api/throw-problems.ts'
import type { FieldDefinition } from '../connectors/contract/connector.ts'
import type { VoidableField } from './field.schema.ts'

/** The fields' values by their keys, secret ones included. */
export type FieldValues = Readonly<Record<string, string>>

/** How a service is configured, its secrets in the clear. */
export interface ServiceSettings {
  display_name: string
  active: boolean
  values: FieldValues
}

/** Replaces the values of the fields in the request; an empty value removes the field. */
export function withFields(values: FieldValues, fields: readonly VoidableField[]): FieldValues {
  const requested = fields.map(({ key, value }): [string, string] => [key, value])
  const merged = new Map([...Object.entries(values), ...requested])
  return Object.fromEntries([...merged].filter(([, value]) => value !== ''))
}

/**
 * A service's fields after a request. Throws 400 where the request names unknown fields or leaves out
 * required ones.
 */
export function validFieldsAfter(
  known: readonly FieldDefinition[],
  before: FieldValues,
  update: readonly VoidableField[],
): FieldValues {
  const values = withFields(before, update)
  throwProblems(fieldProblems('/fields', known, update, values))
  return values
}

/**
 * What is wrong with a service's fields, by JSON pointer: `given` are those of the request, `values` all
 * fields after it. Empty: nothing.
 */
export function fieldProblems(
  pointer: string,
  known: readonly FieldDefinition[],
  requested: readonly VoidableField[],
  values: FieldValues,
): Record<string, string> {
  const keys = requested.map(({ key }) => key)
  const wrongKeys = keys.flatMap((key, index): [string, string][] => {
    if (!known.some((field) => field.key === key))
      return [[`${pointer}/${index}/key`, `${key} is not a field of this payment service`]]
    return keys.indexOf(key) < index ? [[`${pointer}/${index}/key`, `${key} is given twice`]] : []
  })
  const missing = known.filter(({ key, required }) => required && values[key] === undefined)
  const lacking = missing.map(({ key }): [string, string] => {
    const index = keys.lastIndexOf(key)
    return index < 0
      ? [pointer, `must include ${missing.map((field) => field.key).join(', ')}`]
      : [`${pointer}/${index}/value`, `${key} is required`]
  })
  const wrongValues = requested.flatMap(({ key, value }, index): [string, string][] => {
    const { values: allowed, unavailable = {} } = known.find((field) => field.key === key) ?? {}
    if (!allowed || value === '' || allowed.includes(value)) return []
    const reason = Object.hasOwn(unavailable, value) ? `: ${unavailable[value]}` : ''
    return [[`${pointer}/${index}/value`, `${key} must be one of ${allowed.join(', ')}${reason}`]]
  })
  return Object.fromEntries([...wrongKeys, ...lacking, ...wrongValues])
}

/** What an update may say of every kind of service; null is the same as absent. */
interface ServiceUpdate {
  display_name?: string | null
  active?: boolean | null
  fields?: readonly VoidableField[] | null
}

/** The settings that every kind of service has, after an update. Throws 400 as `validFieldsAfter`. */
export const settingsAfter = (
  definition: { fields: readonly FieldDefinition[] },
  settings: ServiceSettings,
  { display_name, active, fields }: ServiceUpdate,
): ServiceSettings => ({
  display_name: display_name ?? settings.display_name,
  active: active ?? settings.active,
  values: validFieldsAfter(definition.fields, settings.values, fields ?? []),
})
