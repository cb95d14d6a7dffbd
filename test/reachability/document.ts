import type { Schema } from '../support/checks/schema-values.ts'

interface Answered {
  operationId: string
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

/** The API document, as far as it says what is answered. */
export interface Document {
  paths: Record<string, Record<string, Answered>>
  components: { schemas: Record<string, Schema> }
}

/** Members whose words are states of a resource. */
const stateful = ['status', 'state', 'intent_outcome', 'anti_fraud_decision']

const named = ({ components }: Document, { $ref }: Schema) => {
  const name = $ref?.slice($ref.lastIndexOf('/') + 1)
  return name === undefined ? undefined : { name, schema: components.schemas[name] ?? {} }
}

/** What a resource is called: by its `type`, or where it has none by its schema's name. */
const nameOf = (schema: Schema, name: string) => ownType(schema) ?? name

/** The only word that its `type` can be. */
function ownType({ properties }: Schema): string | undefined {
  const { const: one, enum: words = [one] } = properties?.['type'] ?? {}
  const [type, ...others] = words
  return typeof type === 'string' && others.length === 0 ? type : undefined
}

const line = (resource: string, member: string, word: unknown) =>
  `${resource} ${member === 'status' ? '' : `${member} `}${word}`

/** What an operation answers when it succeeds. */
const successOf = ({ responses }: Answered): [status: number, schema: Schema | undefined][] =>
  Object.entries(responses).flatMap(([status, { content }]) =>
    status.startsWith('2') ? [[Number(status), content?.['application/json']?.schema]] : [],
  )

/** Every state that an answer of the API can show: `transaction capture_pending`. */
export function statesOf(document: Document): Set<string> {
  const states = new Set<string>()
  const seen = new Set<string>()
  const look = (schema: Schema | undefined, name: string): void => {
    if (!schema) return
    const reference = named(document, schema)
    if (reference) {
      if (seen.has(reference.name)) return
      seen.add(reference.name)
      look(reference.schema, reference.name)
      return
    }
    for (const [member, property] of Object.entries(schema.properties ?? {})) {
      for (const word of stateful.includes(member) ? (property.enum ?? []) : [])
        if (word !== null) states.add(line(nameOf(schema, name), member, word))
      look(property, name)
    }
    for (const branch of schema.anyOf ?? []) look(branch, name)
    look(schema.items, name)
  }
  for (const operation of operationsOf(document))
    for (const [, schema] of successOf(operation)) look(schema, operation.operationId)
  return states
}

/** The states that this answer shows, and the resources with an id that are in it. */
export function readAnswer(document: Document, operation: Answered, status: number, body: unknown) {
  const states: string[] = []
  const resources: { type: string; value: Record<string, unknown> }[] = []
  const look = (value: unknown, schema: Schema | undefined, name: string): void => {
    if (!schema || value === null || typeof value !== 'object') return
    const reference = named(document, schema)
    if (reference) {
      look(value, reference.schema, reference.name)
      return
    }
    for (const branch of schema.anyOf ?? []) look(value, branch, name)
    if (Array.isArray(value)) {
      for (const each of value) look(each, schema.items, name)
      return
    }
    const own = ownType(schema)
    if (own !== undefined && 'type' in value && value.type !== own) return
    for (const [member, inner] of Object.entries(value)) {
      const property = schema.properties?.[member]
      if (property && stateful.includes(member) && property.enum?.includes(inner) && inner !== null)
        states.push(line(nameOf(schema, name), member, inner))
      look(inner, property, name)
    }
    if (schema.properties && 'id' in value)
      resources.push({ type: nameOf(schema, name), value: { ...value } })
  }
  look(body, successOf(operation).find(([code]) => code === status)?.[1], operation.operationId)
  return { states, resources }
}

export const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  )
