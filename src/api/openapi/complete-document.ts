import { clientSample } from './client/code-sample.ts'
import { type DocumentedExample, documentedExample, requestExamples } from './examples/request-examples.ts'
import { memberDescriptions } from './member-descriptions.ts'
import { descriptionsInSchemas } from './schema-member-descriptions.ts'
import { tagsInOrder } from './tags.ts'

type Json = { [key: string]: unknown }

/** What the domains add to the document, which this folder does not know. */
export interface DocumentFacts {
  /** Where clients reach this instance; `/`: where the document is. */
  serverUrl: string
  /** The events of webhooks, with their meanings. */
  events: Readonly<Record<string, string>>
  /** The values of `error_code`; a flow rule may have its own. */
  errorCodes: readonly string[]
}

const isObject = (node: unknown): node is Json =>
  typeof node === 'object' && node !== null && !Array.isArray(node)

/**
 * Adds what the document says beyond the schemas of the routes: descriptions, examples, the values of error
 * codes, servers, tags and webhooks.
 */
export function completeDocument(document: Json, { serverUrl, events, errorCodes }: DocumentFacts): Json {
  const components = isObject(document['components']) ? document['components'] : {}
  const schemas = isObject(components['schemas']) ? components['schemas'] : {}
  const described = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, describe(schema, name, errorCodes)]),
  )
  const paths = isObject(document['paths']) ? document['paths'] : {}
  return {
    ...document,
    servers: [{ url: serverUrl, description: 'This instance' }],
    tags: tagsInOrder.map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        isObject(item)
          ? Object.fromEntries(
              Object.entries(item).map(([method, operation]) => [
                method,
                completeOperation(operation, { verb: method.toUpperCase(), path }, errorCodes),
              ]),
            )
          : item,
      ]),
    ),
    webhooks: Object.fromEntries(
      Object.entries(events).map(([name, meaning]) => [name, webhook(name, meaning)]),
    ),
    components: { ...components, schemas: described },
  }
}

function completeOperation(
  operation: unknown,
  place: { verb: string; path: string },
  errorCodes: readonly string[],
): unknown {
  if (!isObject(operation)) return operation
  const { operationId, parameters, requestBody } = operation
  const example = documentedExample(String(operationId))
  const sample = clientSample({
    ...place,
    operationId: String(operationId),
    requiredQuery: Array.isArray(parameters) ? parameters.flatMap(requiredInQuery) : [],
    body: requestExamples[String(operationId)]?.body,
  })
  return {
    ...(describe(operation, '', errorCodes) as Json),
    ...(Array.isArray(parameters) && { parameters: parameters.map(describeParameter) }),
    ...(isObject(requestBody) && {
      requestBody: describe(example ? withExample(requestBody, example) : requestBody, '', errorCodes),
    }),
    ...(sample && { 'x-codeSamples': [sample] }),
  }
}

const requiredInQuery = (parameter: unknown): string[] =>
  isObject(parameter) && parameter['in'] === 'query' && parameter['required'] === true
    ? [String(parameter['name'])]
    : []

const describeParameter = (parameter: unknown) =>
  isObject(parameter) && !parameter['description']
    ? { ...parameter, description: memberDescriptions[String(parameter['name'])] }
    : parameter

function withExample(requestBody: Json, { description, examples }: DocumentedExample): Json {
  const content = isObject(requestBody['content']) ? requestBody['content'] : {}
  return {
    ...requestBody,
    description,
    content: Object.fromEntries(
      Object.entries(content).map(([type, media]) => [
        type,
        isObject(media) ? { ...media, examples } : media,
      ]),
    ),
  }
}

/** Every property of a schema with a description. `schema`: the name of the component that it is in. */
function describe(node: unknown, schema: string, errorCodes: readonly string[]): unknown {
  if (Array.isArray(node)) return node.map((each) => describe(each, schema, errorCodes))
  if (!isObject(node)) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key === 'example' || key === 'examples' || key === 'enum' || key === 'default') return [key, value]
      if (key !== 'properties' || !isObject(value)) return [key, describe(value, schema, errorCodes)]
      return [
        key,
        Object.fromEntries(
          Object.entries(value).map(([name, member]) => [
            name,
            describeMember(name, member, schema, errorCodes),
          ]),
        ),
      ]
    }),
  )
}

function describeMember(
  name: string,
  member: unknown,
  schema: string,
  errorCodes: readonly string[],
): unknown {
  const inner = describe(member, schema, errorCodes)
  if (!isObject(inner)) return inner
  const coded = isErrorCode(name, inner, schema)
    ? { ...inner, ...valuesOfErrorCode(inner, errorCodes) }
    : inner
  const description =
    coded['description'] ??
    descriptionsInSchemas[`${schema}.${name}`] ??
    constantDescription(name, coded) ??
    memberDescriptions[name]
  return description === undefined ? coded : { ...coded, description }
}

/** A member that has one value, and lists' items. */
function constantDescription(name: string, { enum: values, const: value }: Json): string | undefined {
  const only = value ?? (Array.isArray(values) && values.length === 1 ? values[0] : undefined)
  if (only !== undefined) return `Always \`${String(only)}\``
  if (name === 'items') return 'The items'
  return name === 'type' ? 'Which kind it is' : undefined
}

/** Answers whose `code` is the standardized error code. */
const wrappers = new Set([
  'TransactionCapture',
  'TransactionVoid',
  'TransactionCancel',
  'TransactionAuthorizationIncrement',
])
/** Their `error_code` is what a simulator is asked to answer. */
const isSimulated = (schema: string) => schema.startsWith('Simulated') || schema === 'AccountUpdaterOptions'

const isErrorCode = (name: string, member: Json, schema: string): boolean =>
  member['enum'] === undefined &&
  !member['pattern'] &&
  ((name === 'error_code' && !isSimulated(schema)) || (name === 'code' && wrappers.has(schema)))

function valuesOfErrorCode({ type }: Json, errorCodes: readonly string[]): Json {
  const isNullable = Array.isArray(type) && type.includes('null')
  return {
    anyOf: [
      { type: 'string', enum: errorCodes },
      { type: 'string', pattern: '^flow_' },
      ...(isNullable ? [{ type: 'null' }] : []),
    ],
  }
}

const webhook = (name: string, meaning: string): Json => ({
  post: {
    operationId: `webhook_${name.replaceAll(/[.-]/g, '_')}`,
    summary: name,
    description: `${meaning}.`,
    tags: ['Webhook subscriptions'],
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Event' } } },
    },
    responses: { '2XX': { description: 'The event is kept; any other answer has it sent again' } },
  },
})
