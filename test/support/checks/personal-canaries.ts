import type { TSchema } from 'typebox'
import type { Schema } from './schema-values.ts'

/** Texts that are nowhere else, made for the personal members of a shape. */
export interface PersonalCanaries {
  all(): readonly string[]
  /**
   * A value of the schema with all its personal members, and those that they need; undefined: it has none.
   */
  fill(schema: TSchema): unknown
  /** One by itself. */
  make(name: string): string
}

/** Shorter ones could be somewhere by chance. */
const MIN_LENGTH = 8

export function personalCanaries(): PersonalCanaries {
  const all: string[] = []
  let count = 0
  const keep = (text: string) => {
    if (text.length >= MIN_LENGTH) all.push(text)
    return text
  }
  const make = (name: string) => {
    count += 1
    return keep(`zq${count.toString(36).padStart(3, '0')}${name.replace(/[^a-z]/g, '')}`)
  }
  const textOf = (name: string, { format, pattern, maxLength = 100 }: Schema): string => {
    if (format === 'date') return keep(`19${10 + (++count % 80)}-03-${10 + (count % 18)}`)
    if (format === 'date-time') return '2030-01-01T00:00:00Z'
    if (pattern?.includes('\\+')) return keep(`+4930${70_000_000 + ++count}`)
    if (pattern?.includes('[A-Z]{2}-')) return 'DE-ZQ9'
    if (pattern === '^[A-Z]{2}$') return 'DE'
    if (name.includes('email')) return keep(`${make('mail')}@example.com`)
    if (name.endsWith('_url')) return keep(`https://shop.example/${make('page')}`)
    return keep(make(name).slice(0, maxLength))
  }
  const typesOf = ({ type }: Schema) => [type ?? []].flat()

  /** `isPersonal`: it lies under a mark. */
  function madeFor(name: string, shape: Schema, isPersonal: boolean): unknown {
    const within = isPersonal || shape['x-personal'] !== undefined
    const branch = shape.anyOf?.find((each) => !typesOf(each).includes('null') || typesOf(each).length > 1)
    if (branch) return madeFor(name, branch, within)
    if (shape.properties) return objectOf(shape, within)
    if (shape.items) {
      const item = madeFor(name, shape.items, within)
      return item === undefined ? undefined : [item]
    }
    if (!within) return undefined
    if (shape.const !== undefined) return shape.const
    if (shape.enum) return shape.enum[0]
    const types = typesOf(shape)
    if (types.includes('string')) return textOf(name, shape)
    if (types.includes('boolean')) return true
    if (types.includes('integer') || types.includes('number')) return shape.minimum ?? 1
    return { [make(name)]: make(name) }
  }

  function objectOf({ properties = {}, required = [] }: Schema, within: boolean): unknown {
    const members = Object.entries(properties).flatMap(([name, member]): [string, unknown][] => {
      const value = madeFor(name, member, within)
      return value === undefined ? [] : [[name, value]]
    })
    if (members.length === 0) return undefined
    const missing = required.filter((name) => !members.some(([given]) => given === name))
    return Object.fromEntries([
      ...members,
      ...missing.map((name) => [name, madeFor(name, properties[name] ?? {}, true)]),
    ])
  }

  return { all: () => all, fill: (schema) => madeFor('', schema as Schema, false), make }
}
