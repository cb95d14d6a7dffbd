import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

interface Parameter {
  name: string
  in: string
  description?: string
  schema: { type?: string | string[] }
}
interface Operation {
  operationId: string
  summary?: string
  description?: string
  parameters?: Parameter[]
}
const railyard = await startRailyardForFile()
const document: {
  info: { title: string; version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { properties: Record<string, { description?: string }> }> }
} = (await railyard.send('GET', '/openapi.json')).body

const operations = () => Object.values(document.paths).flatMap((item) => Object.values(item))
const operation = (id: string) => operations().find(({ operationId }) => operationId === id)

test('the API document has the version of the API and of Railyard, and the reference pages have the title Railyard', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  expect(document.info).toMatchObject({
    title: 'Railyard',
    version: '1.0.0',
    description: expect.stringContaining(`Railyard ${version}.`),
  })
  expect((await railyard.send('GET', '/docs/')).body).toContain('<title>Railyard</title>')
})

test('every operation has a summary and a description', () => {
  const undescribed = operations().filter(
    ({ summary = '', description = '' }) => summary === '' || !/^[A-Z].*\.$/.test(description),
  )
  expect(undescribed.map(({ operationId }) => operationId)).toEqual([])
  expect(new Set(operations().map(({ summary }) => summary)).size).toBe(operations().length)
})

test('every schema is one of JSON Schema 2020-12, which the server does not check', () => {
  const ajv = new Ajv2020()
  const schemas: [string, object][] = [
    ...Object.entries(document.components.schemas),
    ...operations().flatMap(({ operationId, parameters = [] }) =>
      parameters.map(({ name, schema }): [string, object] => [`${operationId} ${name}`, schema]),
    ),
  ]
  expect(schemas.length).toBeGreaterThan(500)
  expect(schemas.filter(([, schema]) => !ajv.validateSchema(schema)).map(([name]) => name)).toEqual([])
  expect(ajv.validateSchema({ type: 'text' })).toBe(false)
})

test('every header, and every filter of the list of transactions, has a description', () => {
  const undescribed = operations().flatMap(({ operationId, parameters = [] }) =>
    parameters
      .filter((parameter) => parameter.in === 'header' && !parameter.description)
      .map(({ name }) => `${operationId} ${name}`),
  )
  const filters = operation('list_transactions')?.parameters?.filter(
    (parameter) => parameter.in === 'query' && !parameter.description,
  )
  expect([...undescribed, ...(filters ?? [])]).toEqual([])
})

test('operations that can answer another resource document the header prefer', () => {
  for (const id of ['capture_transaction', 'void_transaction'])
    expect(operation(id)?.parameters).toContainEqual(
      expect.objectContaining({ in: 'header', name: 'prefer' }),
    )
})

test.each([
  ['TransactionCreate', ['amount', 'currency', 'intent']],
  ['Transaction', ['amount', 'status', 'intent', 'intent_outcome', 'captured_amount', 'error_code']],
  ['TransactionSummary', ['amount', 'status', 'intent']],
  ['TransactionCaptureCreate', ['amount', 'final']],
  ['TransactionRefundCreate', ['amount']],
  ['TransactionSummaries', ['limit', 'next_cursor', 'previous_cursor']],
])('the main members of %s are described', (name, members) => {
  const properties = document.components.schemas[name]?.properties ?? {}
  expect(members.filter((member) => !properties[member]?.description)).toEqual([])
})
