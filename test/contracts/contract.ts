import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

export type ContractName =
  | 'acp-agentic-checkout'
  | 'acp-delegate-payment'
  | 'acp-order-events'
  | 'wallet-disputes'
  | 'wallet-oauth'
  | 'wallet-orders'
  | 'wallet-payments'
  | 'wallet-reporting'
  | 'wallet-webhooks'
  | 'bnpl'
  | 'bnpl-settlements'
  | 'emv-3ds'
  | 'adyen-checkout'
  | 'adyen-disputes'
  | 'adyen-management'
  | 'adyen-storedvalue'
  | 'adyen-webhooks'
  | 'stripe'
  | 'checkout'
  | 'mollie'

interface Message {
  method: string
  /** Without the query. */
  path: string
  headers?: Readonly<Record<string, string>>
  /** Parsed, or the raw text. Absent or empty: no body. */
  body?: unknown
}

export interface WireRequest extends Message {
  query?: Readonly<Record<string, string>>
}

export interface WireResponse extends Message {
  status: number
}

/** A payment service's published API contract (NOTICE.md). Each check returns the violations; empty: none. */
export interface Contract {
  /** Whether the contract has this operation. */
  knows(method: string, path: string): boolean
  request(request: WireRequest): string[]
  response(response: WireResponse): string[]
  /** Checks a value against one of the contract's own schemas, by name. */
  schema(name: string, value: unknown): string[]
}

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
}

interface Reference {
  $ref?: string
}

interface Parameter extends Reference {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema?: Schema
}

type Content = Record<string, { schema: Schema }>

interface Response extends Reference {
  content?: Content
  headers?: Record<string, { required?: boolean }>
}

interface Operation {
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, Response>
}

type Paths = Record<string, Record<string, Operation>>

interface Published {
  paths?: Paths
  webhooks?: Paths
  components: { schemas: Record<string, Schema> }
}

interface Document {
  paths: Paths
  components: { schemas: Record<string, Schema> }
}

/** A position in the document: the steps of a JSON pointer. */
type Place = readonly string[]

const ROOT = 'contract'

/**
 * The providers' own formats, each beside a pattern or a length that is checked. Any other unknown format is
 * an error.
 */
const ownFormats = [
  'int64',
  'payer_v1',
  'ppaas_common_country_code_v2',
  'ppaas_common_currency_code_v2',
  'ppaas_common_email_address_v2',
  'ppaas_common_language_v3',
  'ppaas_common_percentage_v2',
  'ppaas_date_notime_v2',
  'ppaas_date_time_v3',
  'ppaas_payer_id_v3',
]

/**
 * Reads a contract. Throws if a schema does not compile: a check that cannot run must not pass. `as needed`:
 * a schema of a large contract is compiled when it is first used.
 */
export function contract(name: ContractName, compiles: 'whole' | 'as needed' = 'whole'): Contract {
  const published: Published = JSON.parse(
    readFileSync(new URL(`${name}.openapi.json`, import.meta.url), 'utf8'),
  )
  // what the provider sends to us is declared as the operations of a webhook (OpenAPI 3.1)
  const document: Document = { ...published, paths: { ...published.paths, ...published.webhooks } }
  const validators = compiledSchemas(document, compiles)
  const routes = Object.entries(document.paths).map(([template, operations]) => ({
    template,
    operations,
    pattern: patternOf(template),
  }))

  const find = (method: string, path: string) => {
    const route = routes.find(
      ({ pattern, operations }) => pattern.test(path) && operations[method.toLowerCase()],
    )
    const operation = route?.operations[method.toLowerCase()]
    return route && operation && { route, operation, place: ['paths', route.template, method.toLowerCase()] }
  }
  const violations = (place: Place, value: unknown, at: string): string[] => {
    const validate = validators.get(pointer(place))
    if (!validate) throw new Error(`no schema at ${pointer(place)}`)
    return validate(value)
      ? []
      : (validate.errors ?? []).map(
          (error) => `${at}${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
        )
  }
  const parameterViolations = (parameter: Parameter, place: Place, value: unknown): string[] => {
    const label = `${parameter.in} ${parameter.name}`
    if (value === undefined) return parameter.required ? [`${label} is required`] : []
    return violations([...place, 'schema'], decoded(document, [parameter.schema ?? {}], value), label)
  }

  return {
    knows: (method, path) => find(method, path) !== undefined,
    schema: (schema, value) => violations(['components', 'schemas', schema], value, schema),
    request({ method, path, query = {}, headers = {}, body }) {
      const found = find(method, path)
      if (!found) return [`${name} has no operation ${method} ${path}`]
      const { route, operation, place } = found
      const asked = nested(Object.entries(query))
      const given: Record<Parameter['in'], Readonly<Record<string, unknown>>> = {
        path: route.pattern.exec(path)?.groups ?? {},
        query: asked,
        header: lowerCase(headers),
      }
      const parameters = (operation.parameters ?? []).map((parameter, index) =>
        resolve(document, parameter, [...place, 'parameters', `${index}`]),
      )
      const queried = new Set(
        parameters.filter(({ target }) => target.in === 'query').map(({ target }) => target.name),
      )
      return [
        ...parameters.flatMap(({ target, place: at }) =>
          parameterViolations(target, at, given[target.in][keyOf(target)]),
        ),
        ...Object.keys(asked).flatMap((key) => (queried.has(key) ? [] : [`query ${key} is not declared`])),
        ...requestBody(operation, place, contentTypeOf(headers), body),
      ]
    },
    response({ method, path, status, headers = {}, body }) {
      const found = find(method, path)
      if (!found) return [`${name} has no operation ${method} ${path}`]
      const { responses } = found.operation
      const declared = [`${status}`, `${Math.floor(status / 100)}XX`, 'default'].find((key) => responses[key])
      const response = declared && responses[declared]
      if (!response) return [`status ${status} is not declared for ${method} ${found.route.template}`]
      const { target, place } = resolve(document, response, [...found.place, 'responses', declared])
      const missing = Object.entries(target.headers ?? {}).filter(
        ([header, { required }]) => required && !lowerCase(headers)[header.toLowerCase()],
      )
      return [
        ...missing.map(([header]) => `header ${header} is required`),
        ...responseBody(target, place, contentTypeOf(headers), body),
      ]
    },
  }

  function requestBody(
    { requestBody: declared }: Operation,
    place: Place,
    type: string,
    body: unknown,
  ): string[] {
    if (isNothing(body)) return declared?.required ? ['body is required'] : []
    // an operation ignores a body that it does not declare; an empty object stands for none
    if (!declared) return isEmptyObject(body) ? [] : ['the operation takes no body']
    const media = declared.content[type]
    if (!media)
      return [`content-type ${type || '(none)'} is not ${Object.keys(declared.content).join(' or ')}`]
    const value = isForm(type) ? decoded(document, [media.schema], parsed(body, type)) : parsed(body, type)
    const wrong = violations([...place, 'requestBody', 'content', type, 'schema'], value, 'body')
    return [...wrong, ...undeclared(document, [media.schema], value, 'body')]
  }

  function responseBody({ content }: Response, place: Place, type: string, body: unknown): string[] {
    if (!content)
      return isNothing(body) || isEmptyObject(body) ? [] : ['the answer has a body, and none is declared']
    const media = type || 'application/json'
    if (!content[media]) return [`content-type ${media} is not declared`]
    return violations([...place, 'content', media, 'schema'], parsed(body, media), 'body')
  }
}

interface CompiledSchemas {
  get(pointer: string): ValidateFunction | undefined
}

/** Every schema of the document, by its pointer. */
function compiledSchemas(document: Document, compiles: 'whole' | 'as needed'): CompiledSchemas {
  // OpenAPI 3.0 schemas need no translation as long as every keyword is JSON Schema's: strict mode refuses
  // others
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    validateSchema: false,
  })
  addFormats.default(ajv)
  for (const format of ownFormats) ajv.addFormat(format, true)
  ajv.addVocabulary(Object.keys(document))
  ajv.addSchema(document, ROOT)
  const places = [
    ...Object.keys(document.components.schemas).map((schema): Place => ['components', 'schemas', schema]),
    ...placesInPaths(document),
  ]
  const pointers = new Set(places.map(pointer))
  const compiled = new Map<string, ValidateFunction>()
  const get = (at: string) => {
    const known = compiled.get(at)
    if (known || !pointers.has(at)) return known
    const validate = ajv.compile({ $ref: `${ROOT}${at}` })
    compiled.set(at, validate)
    return validate
  }
  if (compiles === 'whole') for (const at of pointers) get(at)
  return { get }
}

function placesInPaths(document: Document): Place[] {
  const inContent = (place: Place, content: Content = {}) =>
    Object.keys(content).map((type): Place => [...place, 'content', type, 'schema'])
  return Object.entries(document.paths).flatMap(([template, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [], requestBody, responses }]) => {
      const at: Place = ['paths', template, method]
      return [
        ...parameters.map(
          (parameter, index): Place => [
            ...resolve(document, parameter, [...at, 'parameters', `${index}`]).place,
            'schema',
          ],
        ),
        ...inContent([...at, 'requestBody'], requestBody?.content),
        ...Object.entries(responses).flatMap(([status, response]) => {
          const { target, place } = resolve(document, response, [...at, 'responses', status])
          return inContent(place, target.content)
        }),
      ]
    }),
  )
}

/** RFC 6901 §3 and §6. */
const pointer = (place: Place) =>
  `#${place.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')}`

/** The target of a reference and its position; any other item is its own target. */
function resolve<T extends Reference>(
  document: Document,
  item: T,
  place: Place,
): { target: T; place: Place } {
  if (item.$ref === undefined) return { target: item, place }
  const steps = item.$ref
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  // JSON has no types: what the document says there is of the kind that it refers to
  const target = steps.reduce((at: never, step) => at[step], document as never)
  return resolve<T>(document, target, steps)
}

/**
 * Members of a request that the contract does not declare. Its schemas are open, so a misspelt optional
 * member would pass them.
 */
function undeclared(document: Document, schemas: Schema[], value: unknown, at: string): string[] {
  const parts = schemas.flatMap((schema) => branches(document, schema))
  if (Array.isArray(value)) {
    const items = parts.flatMap((part) => part.items ?? [])
    return value.flatMap((item, index) => undeclared(document, items, item, `${at}/${index}`))
  }
  if (typeof value !== 'object' || value === null) return []
  const isOpen =
    parts.some((part) => part.additionalProperties || part.patternProperties) ||
    parts.every((part) => !part.properties)
  return Object.entries(value).flatMap(([name, inner]) => {
    const declared = parts.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, name) ? (properties[name] ?? []) : [],
    )
    if (declared.length > 0) return undeclared(document, declared, inner, `${at}/${name}`)
    return isOpen ? [] : [`${at}/${name} is not declared`]
  })
}

/**
 * A form's value by its schema: a form has texts only. A text that the schema takes as text stays one.
 */
function decoded(document: Document, schemas: Schema[], value: unknown): unknown {
  const parts = schemas.flatMap((schema) => branches(document, schema))
  const types = new Set(parts.flatMap(({ type }) => type ?? []))
  if (Array.isArray(value)) {
    const items = parts.flatMap((part) => part.items ?? [])
    return value.map((item) => decoded(document, items, item))
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        decoded(
          document,
          parts.flatMap(({ properties = {} }) =>
            Object.hasOwn(properties, name) ? (properties[name] ?? []) : [],
          ),
          inner,
        ),
      ]),
    )
  const isText = parts.some(
    ({ type, enum: words }) =>
      [type].flat().includes('string') && (words === undefined || words.includes(value)),
  )
  if (typeof value !== 'string' || isText) return value
  if ((types.has('integer') || types.has('number')) && /^-?\d+(\.\d+)?$/.test(value)) return Number(value)
  return types.has('boolean') && /^(true|false)$/.test(value) ? value === 'true' : value
}

interface Nested {
  [name: string]: string | Nested
}

/** The fields of a form or a query, with the members that their names put in brackets. */
function nested(fields: Iterable<readonly [string, string]>): Record<string, unknown> {
  const root: Nested = {}
  for (const [field, value] of fields) {
    const steps = field.replaceAll(']', '').split('[')
    const last = steps.pop() ?? ''
    let at = root
    for (const step of steps) {
      const inner = at[step]
      const next = typeof inner === 'object' ? inner : {}
      at[step] = next
      at = next
    }
    at[last === '' ? `${Object.keys(at).length}` : last] = value
  }
  return Object.fromEntries(Object.entries(root).map(([name, inner]) => [name, withLists(inner)]))
}

/** Members that are numbered from 0 are a list. */
function withLists(value: string | Nested): unknown {
  if (typeof value === 'string') return value
  const names = Object.keys(value)
  const members = Object.values(value).map(withLists)
  if (names.every((name, index) => name === `${index}`)) return members
  return Object.fromEntries(names.map((name, index) => [name, members[index]]))
}

const isForm = (type: string) => type === 'application/x-www-form-urlencoded'

/** A schema and all of its parts. */
function branches(document: Document, schema: Schema, seen = new Set<Schema>()): Schema[] {
  const { target } = resolve(document, schema, [])
  if (seen.has(target)) return []
  seen.add(target)
  const parts = [...(target.allOf ?? []), ...(target.anyOf ?? []), ...(target.oneOf ?? [])]
  return [target, ...parts.flatMap((part) => branches(document, part, seen))]
}

const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll(/\{([^}]+)\}/g, '(?<$1>[^/]+)')}$`)

const keyOf = ({ in: place, name }: Parameter) => (place === 'header' ? name.toLowerCase() : name)

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const contentTypeOf = (headers: Readonly<Record<string, string>>) =>
  (lowerCase(headers)['content-type'] ?? '').split(';')[0]?.trim() ?? ''

const isNothing = (body: unknown) => body === undefined || body === null || body === ''

const isEmptyObject = (body: unknown) =>
  body === '{}' || (typeof body === 'object' && body !== null && Object.keys(body).length === 0)

function parsed(body: unknown, type: string): unknown {
  if (typeof body !== 'string') return body
  if (isForm(type)) return nested(new URLSearchParams(body))
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}
