import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { clientFiles } from '../../../scripts/client/client-files.ts'
import { type ApiDocument, camelCase, operationsOf } from '../../../scripts/client/document.ts'
import { operationNames } from '../../../src/api/openapi/client/operation-names.ts'
import { startRailyardForFile } from '../../support/start-railyard.ts'

const railyard = await startRailyardForFile()
const document: ApiDocument = (await railyard.send('GET', '/openapi.json')).body
const generated = 'packages/client/src/generated'

test('the generated files of the client are what the API document says: npm run docs:reference writes them', () => {
  const files = clientFiles(document)
  for (const [path, text] of Object.entries(files)) expect(readFileSync(path, 'utf8'), path).toBe(text)
  expect(readdirSync(generated).map((name) => `${generated}/${name}`)).toEqual(Object.keys(files).toSorted())
})

test('every operation of the API has a method of its own in the client, and no name is left over', () => {
  const ids = operationsOf(document).map(({ operation }) => operation.operationId)
  expect(Object.keys(operationNames).toSorted()).toEqual(ids.toSorted())
  expect(new Set(Object.values(operationNames)).size).toBe(ids.length)
})

/** The path in camel case, without ids and without the last part where that is what the method does. */
const partsOf = (path: string) =>
  path
    .split('/')
    .filter((part) => part !== '' && !part.startsWith('{'))
    .map(camelCase)

/** Methods that are named otherwise, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'transactions.completeByGet': 'the verb is all that tells it from transactions.complete',
  'transactions.refunds.createAll': 'it creates refunds: `all` is no resource',
}

test('the name of a method is the path of its operation and what it does', () => {
  const names: Readonly<Record<string, string>> = operationNames
  const strange = operationsOf(document).flatMap(({ path, operation }) => {
    const name = names[operation.operationId] ?? ''
    const resource = name.slice(0, name.lastIndexOf('.'))
    const parts = partsOf(path)
    return name in exceptions || resource === parts.join('.') || name === parts.join('.')
      ? []
      : [`${name} ${path}`]
  })
  expect(strange).toEqual([])
})

test('the same verb of the same kind of path does the same in each resource', () => {
  const names: Readonly<Record<string, string>> = operationNames
  const words = new Map<string, string>()
  for (const { operation } of operationsOf(document)) {
    const [word = ''] = operation.operationId.split('_')
    const name = names[operation.operationId] ?? ''
    words.set(name, word)
  }
  const verbOf = (name: string) => name.slice(name.lastIndexOf('.') + 1)
  const wrong = Array.from(words).filter(
    ([name, word]) =>
      (word === 'list' && verbOf(name) !== 'list') ||
      (['create', 'add'].includes(word) && !verbOf(name).startsWith('create')) ||
      (word === 'delete' && !verbOf(name).startsWith('delete')),
  )
  expect(wrong).toEqual([])
})
