import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Documents whose claims about security name what proves them. */
const documents = ['SECURITY.md', 'ARCHITECTURE.md', 'docs/security-requirements.md']
const read = (path: string) => readFileSync(path, 'utf8')

interface Reference {
  document: string
  path: string
  /** Titles of tests that stand in quotes right after the path. */
  titles: string[]
}

/** `` `src/a/b.test.ts` "a title", "another" `` */
const referencesOf = (document: string): Reference[] =>
  [...read(document).matchAll(/`((?:src|test)\/[^`]*\.test\.ts)`((?:[,:]? "[^"]+")*)/g)].map(([, path = '', quoted = '']) => ({
    document,
    path,
    titles: [...quoted.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title),
  }))

/** A table's rows as lists of cells, without its head. */
const rowsOf = (markdown: string) =>
  markdown
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('|---'))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    )

const references = documents.flatMap(referencesOf)
const commands = Object.keys(JSON.parse(read('package.json')).scripts)

test('every test that a document about security names exists', () => {
  expect(references.length).toBeGreaterThan(60)
  expect(references.filter(({ path }) => globSync(path).length === 0)).toEqual([])
})

test('every title that is quoted beside a test stands in it', () => {
  const missing = references.flatMap(({ document, path, titles }) =>
    titles.filter((title) => !globSync(path).some((file) => read(file).includes(title))).map((title) => `${document}: ${path} "${title}"`),
  )
  expect(missing).toEqual([])
})

test('every command that a document about security names exists', () => {
  const named = documents.flatMap((document) => [...read(document).matchAll(/`npm run ([\w:-]+)/g)].map(([, command = '']) => command))
  expect(named.filter((command) => !commands.includes(command))).toEqual([])
})

test('every requirement has a state, and what is met names a test, a command or a document that shows it', () => {
  const requirements = rowsOf(read('docs/security-requirements.md')).filter(([requirement]) => requirement !== 'requirement')
  expect(requirements.length).toBeGreaterThan(80)
  expect(requirements.filter(([, state = '']) => !['met', 'partly', 'not met', 'operator'].includes(state))).toEqual([])
  const unproven = requirements.filter(([, state, proof = '']) => state === 'met' && !/\.test\.ts`|`npm run /.test(proof))
  expect(unproven.map(([requirement]) => requirement)).toEqual([])
})
