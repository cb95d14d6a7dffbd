import { expect, test } from 'vitest'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { eventNames } from '../../events/event-name.ts'
import { tagsInOrder } from './tags.ts'

interface Schema {
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  additionalProperties?: Schema | boolean
  enum?: unknown[]
}
interface Operation {
  operationId: string
  tags?: string[]
  security?: Record<string, string[]>[]
  parameters?: { name: string; description?: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses?: Record<string, { content?: Record<string, { schema: Schema }> }>
}
const railyard = await startRailyardForFile()
const document: {
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, { in?: string }> }
} = (await railyard.send('GET', '/openapi.json')).body

const operations = () => Object.values(document.paths).flatMap((item) => Object.values(item))

/** The paths of all properties below a schema that have no description. */
function undescribed(schema: Schema | undefined, path: string): string[] {
  if (!schema || typeof schema !== 'object') return []
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap((part) =>
    undescribed(part, path),
  )
  const values =
    typeof schema.additionalProperties === 'object'
      ? undescribed(schema.additionalProperties, `${path}{}`)
      : []
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    ...(member.description ? [] : [`${path}.${name}`]),
    ...undescribed(member, `${path}.${name}`),
  ])
  return [...own, ...parts, ...values, ...undescribed(schema.items, `${path}[]`)]
}

test('every property and every parameter of the API document has a description', () => {
  const ofSchemas = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    undescribed(schema, name),
  )
  const ofOperations = operations().flatMap(
    ({ operationId, parameters = [], requestBody, responses = {} }) => [
      ...parameters.filter(({ description }) => !description).map(({ name }) => `${operationId} ${name}`),
      ...[requestBody, ...Object.values(responses)].flatMap((each) =>
        Object.values(each?.content ?? {}).flatMap(({ schema }) => undescribed(schema, operationId)),
      ),
    ],
  )
  expect([...ofSchemas, ...ofOperations]).toEqual([])
})

test('the tags are listed in the order of an integration, each that is used and no other', () => {
  const used = new Set(operations().flatMap(({ tags = [] }) => tags))
  expect(document.tags.map(({ name }) => name)).toEqual(tagsInOrder.map(([name]) => name))
  expect([...used].toSorted()).toEqual(document.tags.map(({ name }) => name).toSorted())
})

test('the document names its server, and every event as a webhook', () => {
  expect(document.servers).toEqual([expect.objectContaining({ url: '/' })])
  expect(Object.keys(document.webhooks)).toEqual([...eventNames])
})

test('an operation takes a bearer token or the cookie of a person, with the CSRF header on writes', () => {
  expect(document.components.securitySchemes['session']).toMatchObject({ in: 'cookie' })
  expect(document.paths['/buyers']?.['post']?.security).toEqual([
    { bearer: ['buyers.write'] },
    { session: [], csrf: [] },
  ])
  expect(document.paths['/buyers']?.['get']?.security).toEqual([{ bearer: ['buyers.read'] }, { session: [] }])
})

test('the error codes of payments and of the API are enums', () => {
  const { Transaction, Refund, Error: body } = document.components.schemas
  for (const member of [Transaction?.properties?.['error_code'], Refund?.properties?.['error_code']])
    expect(member?.anyOf?.[0]?.enum).toEqual(
      expect.arrayContaining(['insufficient_funds', 'all_attempts_skipped']),
    )
  expect(body?.properties?.['code']?.enum).toContain('too_early')
})
