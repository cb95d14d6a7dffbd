import { expect, test } from 'vitest'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()

// biome-ignore lint/suspicious/noExplicitAny: the API document as it is served
type Json = any

interface Operation {
  name: string
  method: string
  path: string
  parameters: { name: string; in: string }[]
  isList: boolean
}

/** Every operation that needs a bearer, with a path that fits. */
async function operations(): Promise<Operation[]> {
  const { body } = await railyard.send('GET', '/openapi.json')
  const shapeOf = (schema: Json): Json =>
    schema?.$ref ? body.components.schemas[schema.$ref.split('/').at(-1)] : schema
  return Object.entries<Json>(body.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([, operation]) => operation['x-scopes'].length > 0)
      .map(([method, operation]) => {
        const answer = shapeOf(operation.responses['200']?.content?.['application/json']?.schema)
        return {
          name: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          path: path.replace(/\{(\w+)\}/g, (_, parameter) => inPath(operation, parameter)),
          parameters: (operation.parameters ?? []).filter((parameter: Json) => parameter.in === 'query'),
          isList: method === 'get' && (answer?.type === 'array' || answer?.properties?.items !== undefined),
        }
      }),
  )
}

/** One of the words that a parameter of the path may be, or an id. */
const inPath = (operation: Json, name: string): string =>
  operation.parameters.find((parameter: Json) => parameter.name === name)?.schema.enum?.[0] ??
  crypto.randomUUID()

/** The names of the parameters that an answer refuses as unknown. */
const refused = ({ body }: { body: Json }): string[] =>
  (body?.detail ?? [])
    .filter((each: Json) => each.loc[0] === 'query' && each.type === 'additionalProperties')
    .map((each: Json) => each.loc[1])

test('every list refuses a query parameter that it does not have, and names it', async () => {
  const lists = (await operations()).filter(({ isList }) => isList)
  expect(lists.length).toBeGreaterThan(40)
  const ignored: string[] = []
  for (const { name, path } of lists) {
    const answer = await railyard.admin.get(`${path}?no_such_parameter=1`)
    if (answer.status !== 422 || refused(answer).join() !== 'no_such_parameter')
      ignored.push(`${name}: ${answer.status}`)
  }
  expect(ignored).toEqual([])
})

test('every operation accepts the parameters that the API document lists', async () => {
  const refusals: string[] = []
  for (const { name, method, path, parameters } of (await operations()).filter(
    (each) => each.method === 'GET' && each.parameters.length > 0,
  )) {
    const query = new URLSearchParams(
      Object.fromEntries(parameters.map((parameter) => [parameter.name, '1'])),
    )
    const answer = await railyard.send(method, `${path}?${query}`, {
      headers: { authorization: `Bearer ${railyard.admin.token}` },
    })
    refusals.push(...refused(answer).map((parameter) => `${name}: ${parameter}`))
  }
  expect(refusals).toEqual([])
})

test('a misspelt parameter of an operation that is not a list is refused before anything is done', async () => {
  const answer = await railyard.admin.put('/sandbox/faults?payment_service=mine', {
    items: [{ operation: 'authorize', kind: 'lost' }],
  })
  expect({ status: answer.status, refused: refused(answer) }).toEqual({
    status: 422,
    refused: ['payment_service'],
  })
  expect((await railyard.admin.get('/sandbox/faults')).body.items).toEqual([])
})

test('the completion URL of a payment accepts parameters that a page adds to it', async () => {
  const answer = await railyard.admin.get(
    `/transactions/${crypto.randomUUID()}/complete?authorization_token=t&locale=de`,
  )
  expect(answer.status).toBe(404)
})
