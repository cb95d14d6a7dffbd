/** A schema of the API document, as far as types are made of it. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  pattern?: string
  additionalProperties?: Schema | boolean
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}

export interface Operation {
  operationId: string
  summary?: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

/** The API document (`/openapi.json`), as far as the client is made of it. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, unknown>
  components: { schemas: Record<string, Schema> }
}

/** Every operation with its verb and path, in the order of the document. */
export const operationsOf = ({ paths }: ApiDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => ({ verb: verb.toUpperCase(), path, operation })),
  )

const json = 'application/json'

export const bodySchema = ({ requestBody }: Operation): Schema | undefined =>
  requestBody?.content[json]?.schema

/** The schemas of the answers that are not errors. */
export const answerSchemas = ({ responses }: Operation): Schema[] =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content }]) => content?.[json]?.schema ?? [])

/** The parameters in the query. */
export const queryOf = ({ parameters = [] }: Operation) =>
  parameters.filter((parameter) => parameter.in === 'query')

/** The names of the parameters in a path, in its order. */
export const pathParameters = (path: string): string[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)

export const hasHeader = ({ parameters = [] }: Operation, name: string) =>
  parameters.some((parameter) => parameter.in === 'header' && parameter.name === name)

/** The schema that a reference names; a schema without a reference is itself. */
export function resolve({ components }: ApiDocument, schema: Schema): Schema {
  const named = schema.$ref === undefined ? undefined : components.schemas[nameOf(schema.$ref)]
  return named ?? schema
}

/** The name of a component that a reference has. */
export const nameOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

/** A word with a capital. */
export const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** `payment_method_id` → `paymentMethodId`. */
export const camelCase = (name: string) =>
  name.replaceAll(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase())
