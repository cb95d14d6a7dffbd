import { operationNames } from '../../src/api/openapi/client/operation-names.ts'
import {
  type ApiDocument,
  answerSchemas,
  bodySchema,
  camelCase,
  capitalized,
  hasHeader,
  type Operation,
  operationsOf,
  pathParameters,
  queryOf,
  resolve,
  type Schema,
} from './document.ts'
import { bodyType, comments, isOptionalBody, key, typeOf } from './schema-types.ts'

/** A method of the client: `transactions.refunds.create` is the operation that it sends. */
export interface Method {
  name: string
  verb: string
  path: string
  operation: Operation
}

/** A resource of the client: its methods, and the resources below it. */
interface Resource {
  methods: Method[]
  resources: Map<string, Resource>
}

const names: Readonly<Record<string, string>> = operationNames

/** The methods of all operations. Throws for an operation without a name. */
export const methodsOf = (document: ApiDocument): Method[] =>
  operationsOf(document).map(({ verb, path, operation }) => {
    const name = names[operation.operationId]
    if (name === undefined)
      throw new Error(
        `${operation.operationId} has no name in src/api/openapi/client/operation-names.ts: add one`,
      )
    return { name, verb, path, operation }
  })

/** packages/client/src/generated/resources.ts: an interface for each resource, with its methods. */
export function resourceTypes(document: ApiDocument): string {
  const root: Resource = { methods: [], resources: new Map() }
  const methods = methodsOf(document)
  for (const method of methods) place(root, method)
  const queries = methods.flatMap((method) => queryType(method))
  return [...queries, ...interfacesOf(document, root, [])].join('\n\n')
}

function place(root: Resource, method: Method): void {
  const path = method.name.split('.').slice(0, -1)
  let resource = root
  for (const part of path) {
    const below = resource.resources.get(part) ?? { methods: [], resources: new Map() }
    resource.resources.set(part, below)
    resource = below
  }
  resource.methods.push(method)
}

const resourceName = (path: readonly string[]) => `${path.map(capitalized).join('')}Resource`

function interfacesOf(document: ApiDocument, resource: Resource, path: readonly string[]): string[] {
  const below = Array.from(resource.resources, ([name, each]) =>
    interfacesOf(document, each, [...path, name]),
  )
  const members = [
    ...resource.methods.map((method) => signature(document, method)),
    ...Array.from(
      resource.resources.keys(),
      (name) => `  readonly ${name}: ${resourceName([...path, name])}`,
    ),
  ]
  const name = path.length === 0 ? 'Resources' : resourceName(path)
  return [...below.flat(), `export interface ${name} {\n${members.join('\n')}\n}`]
}

const queryName = ({ operation }: Method) => `${capitalized(camelCase(operation.operationId))}Query`

function queryType(method: Method): string[] {
  const parameters = queryOf(method.operation)
  if (parameters.length === 0) return []
  const members = parameters.map(({ name, required, description, schema }) => {
    const type = typeOf(schema, { open: true }, '  ')
    return `${comments(description, '  ')}  ${key(name)}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'}`
  })
  return [`export interface ${queryName(method)} {\n${members.join('\n')}\n}`]
}

/** Whether the answer is a list whose items can be iterated. */
export const isList = ({ name }: Method) => name.endsWith('.list')

function signature(document: ApiDocument, method: Method): string {
  const { operation, name, verb, path } = method
  const last = name.slice(name.lastIndexOf('.') + 1)
  const summary = [operation.summary, operation.description].filter(Boolean).join('. ')
  const lines = (options: string, optional: boolean, answer: string) =>
    `  ${key(last)}(${argumentsOf(document, method, options, optional).join(', ')}): ${answer}`
  const comment = comments(`${summary} \`${verb} ${path}\``, '  ')
  const [answer, preferred] = answersOf(document, method)
  const plain = `${comment}${lines('RequestOptions', true, wrap(document, method, answer))}`
  if (!preferred) return plain
  const option = preferred.resource
  const special = lines(
    `RequestOptions & { prefer: 'resource=${option}' }`,
    false,
    `Promise<${preferred.type}>`,
  )
  return `${comment}${special}\n${plain}`
}

/** The parameters of a method: the path's, the body, the query, the options. */
function argumentsOf(document: ApiDocument, method: Method, options: string, optional: boolean): string[] {
  const { path, operation, verb } = method
  const body = verb === 'GET' ? undefined : bodySchema(operation)
  const query = queryOf(operation)
  const isOptionalQuery = query.every(({ required }) => !required)
  // a required parameter behind an optional one may be undefined
  const mayBeUndefined = (isOptional: boolean, type: string) =>
    isOptional ? (optional ? ['?', type] : ['', `${type} | undefined`]) : ['', type]
  const [bodyMark, typeOfBody] = body
    ? mayBeUndefined(
        verb === 'POST' && isOptionalBody(document, body) && isOptionalQuery,
        bodyType(operation) ?? 'unknown',
      )
    : []
  const [queryMark, typeOfQuery] = mayBeUndefined(isOptionalQuery, queryName(method))
  return [
    ...pathParameters(path).map((each) => `${camelCase(each)}: string`),
    ...(typeOfBody ? [`body${bodyMark}: ${typeOfBody}`] : []),
    ...(query.length > 0 ? [`query${queryMark}: ${typeOfQuery}`] : []),
    `options${optional ? '?' : ''}: ${options}`,
  ]
}

interface Preferred {
  resource: string
  type: string
}

/** The type of the answer, and of the other resource that the header `prefer` asks for. */
function answersOf(document: ApiDocument, { operation }: Method): [string, Preferred | undefined] {
  const schemas = answerSchemas(operation)
  const hasEmpty = Object.entries(operation.responses).some(
    ([status, { content }]) => status.startsWith('2') && !content,
  )
  const [schema] = schemas
  if (!schema) return [operation.operationId.includes('sandbox_faults') ? 'FaultList' : 'void', undefined]
  const [first, second] = schema.anyOf ?? []
  if (first && second && hasHeader(operation, 'prefer')) {
    const resource = typeMember(resolve(document, second))
    return [typeOf(first, { open: true }), { resource, type: typeOf(second, { open: true }) }]
  }
  return [`${typeOf(schema, { open: true })}${hasEmpty ? ' | undefined' : ''}`, undefined]
}

const typeMember = ({ properties }: Schema) => String(properties?.['type']?.enum?.[0])

function wrap(document: ApiDocument, method: Method, answer: string): string {
  if (!isList(method)) return `Promise<${answer}>`
  const [schema] = answerSchemas(method.operation)
  const items = schema && resolve(document, schema)
  const item = items?.properties?.['items']?.items ?? items?.items
  const type = item
    ? item.$ref?.endsWith('/Event')
      ? 'RailyardEvent'
      : typeOf(item, { open: true })
    : 'unknown'
  return `List<${type}, ${answer}>`
}
