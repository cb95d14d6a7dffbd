import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { operationsWithoutAPage } from '../dashboard/operations-without-a-page.ts'
import { operations } from '../packages/client/src/generated/operations.ts'

const source = globSync('dashboard/src/**/*.{ts,tsx}')
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n')

interface Table {
  readonly [name: string]: string | Table
}

const namesOf = (table: Table, path = ''): string[] =>
  Object.entries(table).flatMap(([name, entry]) =>
    typeof entry === 'string' ? [`${path}${name}`] : namesOf(entry, `${path}${name}.`),
  )

const all = namesOf(operations)
/** `api.transactions.capture(`, also over several lines. */
const isCalled = (name: string): boolean =>
  new RegExp(`\\.\\s*${name.split('.').join('\\s*\\.\\s*')}\\s*\\(`).test(source)

test('every operation of the API has a place in the dashboard, or a reason why not', () => {
  expect(all.length).toBeGreaterThan(200)
  expect(all.filter((name) => !isCalled(name) && !(name in operationsWithoutAPage))).toEqual([])
})

test('no reason is given for an operation that has a place, or that does not exist', () => {
  const reasons = Object.keys(operationsWithoutAPage)
  expect(reasons.filter((name) => isCalled(name) || !all.includes(name))).toEqual([])
})
