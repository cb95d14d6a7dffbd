import {
  type ApiDocument,
  answerSchemas,
  bodySchema,
  nameOf,
  operationsOf,
  resolve,
  type Schema,
} from './document.ts'

/** Components whose names are those of JavaScript's or the client's own. */
const renamed: Readonly<Record<string, string>> = {
  Error: 'ErrorBody',
  ValidationError: 'ValidationErrorBody',
  Event: 'EventBody',
}

export const typeName = (component: string) => renamed[component] ?? component

/** Whether the client receives it: its enumerations may have values that this version does not know. */
interface Openness {
  open: boolean
}

/** packages/client/src/generated/schemas.ts: every schema of the document. */
export function schemaTypes(document: ApiDocument): string {
  const answered = componentsInAnswers(document)
  return Object.entries(document.components.schemas)
    .map(([name, schema]) => declaration(name, schema, { open: answered.has(name) }))
    .join('\n\n')
}

function declaration(name: string, schema: Schema, openness: Openness): string {
  const { properties: members } = schema
  const comment = comments(schema.description, '')
  return Object.keys(members ?? {}).length > 0 && schema.additionalProperties !== true
    ? `${comment}export interface ${typeName(name)} ${objectType(schema, openness, '')}`
    : `${comment}export type ${typeName(name)} = ${typeOf(schema, openness, '')}`
}

/** How the description of a flow rule's condition begins. */
const CONDITION = 'When it applies: `{ all: [...] }`'

/** The TypeScript type of a schema. */
export function typeOf(schema: Schema, openness: Openness, indent = ''): string {
  if (schema.description?.startsWith(CONDITION)) return 'Condition'
  if (schema.$ref !== undefined) return typeName(nameOf(schema.$ref))
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.anyOf) return unionOf(schema.anyOf.map((each) => typeOf(each, openness, indent)))
  if (schema.enum) return enumeration(schema, schema.enum, openness)
  return unionOf([schema.type ?? []].flat().map((type) => plainType(type, schema, openness, indent)))
}

function unionOf(types: string[]): string {
  const distinct = [...new Set(types)]
  return distinct.length === 0 ? 'unknown' : distinct.join(' | ')
}

/** One value tells which kind an object is, so it stays the only one. */
function enumeration({ type }: Schema, values: unknown[], { open }: Openness): string {
  const known = values.map(literal)
  const isNullable = Array.isArray(type) && type.includes('null') && !values.includes(null)
  const others = open && values.length > 1 && values.every((value) => typeof value === 'string')
  return unionOf([...known, ...(others ? ['(string & {})'] : []), ...(isNullable ? ['null'] : [])])
}

function plainType(type: string, schema: Schema, openness: Openness, indent: string): string {
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string') return schema.pattern === '^flow_' ? '(string & {})' : 'string'
  if (type === 'array') return arrayOf(schema.items ? typeOf(schema.items, openness, indent) : 'unknown')
  if (type === 'object') return objectType(schema, openness, indent)
  return type
}

const arrayOf = (item: string) => (item.includes(' ') ? `(${item})[]` : `${item}[]`)

function objectType(schema: Schema, openness: Openness, indent: string): string {
  const { properties, required = [], additionalProperties: others } = schema
  if (!properties)
    return `Record<string, ${typeof others === 'object' ? typeOf(others, openness, indent) : 'unknown'}>`
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, member]) => {
    const type = typeOf(member, openness, inner)
    const isRequired = required.includes(name)
    return `${comments(member.description, inner)}${inner}${key(name)}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'}`
  })
  const rest = others === true ? [`${inner}[member: string]: unknown`] : []
  return members.length + rest.length === 0
    ? 'Record<string, never>'
    : `{\n${[...members, ...rest].join('\n')}\n${indent}}`
}

export const comments = (text: string | undefined, indent: string) =>
  text ? `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */\n` : ''

export const key = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`)

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

/** Whether a body may be left out: nothing in it is required. */
export function isOptionalBody(document: ApiDocument, schema: Schema): boolean {
  const { anyOf, type, required = [], properties } = resolve(document, schema)
  if (anyOf) return anyOf.some((each) => each.type === 'null')
  return (Array.isArray(type) && type.includes('null')) || (properties !== undefined && required.length === 0)
}

/** The components that answers refer to, directly or through others. */
function componentsInAnswers(document: ApiDocument): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (schema: Schema | undefined): void => {
    if (!schema) return
    if (schema.$ref !== undefined) {
      const name = nameOf(schema.$ref)
      if (found.has(name)) return
      found.add(name)
      visit(document.components.schemas[name])
      return
    }
    for (const each of [...(schema.anyOf ?? []), ...Object.values(schema.properties ?? {})]) visit(each)
    visit(schema.items)
    if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties)
  }
  for (const { operation } of operationsOf(document)) {
    for (const schema of answerSchemas(operation)) visit(schema)
  }
  for (const name of ['Event', 'Error', 'ValidationError']) visit({ $ref: `#/components/schemas/${name}` })
  return found
}

/** The type of a request's body. */
export const bodyType = (operation: Parameters<typeof bodySchema>[0]) => {
  const schema = bodySchema(operation)
  return schema && typeOf(schema, { open: false }, '  ')
}

/** The names of all types of schemas. */
export const typeNames = ({ components }: ApiDocument): string[] =>
  Object.keys(components.schemas).map(typeName)
