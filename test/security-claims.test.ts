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

/** `` `src/settings.test.ts` "a title", "another" `` */
const referencesOf = (document: string): Reference[] =>
  [...read(document).matchAll(/`((?:src|test)\/[^`]*\.test\.ts)`((?:[,:]? "[^"]+")*)/g)].map(
    ([, path = '', quoted = '']) => ({
      document,
      path,
      titles: [...quoted.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title),
    }),
  )

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
    titles
      .filter((title) => !globSync(path).some((file) => read(file).includes(title)))
      .map((title) => `${document}: ${path} "${title}"`),
  )
  expect(missing).toEqual([])
})

test('every command that a document about security names exists', () => {
  const named = documents.flatMap((document) =>
    [...read(document).matchAll(/`npm run ([\w:-]+)/g)].map(([, command = '']) => command),
  )
  expect(named.filter((command) => !commands.includes(command))).toEqual([])
})

/** The part of a document under a heading of the second level. */
const sectionOf = (document: string, heading: string) =>
  read(document)
    .split(/^## /m)
    .find((section) => section.startsWith(`${heading}\n`)) ?? ''

test('every threat in SECURITY.md names the tests or commands that show what stands against it', () => {
  const threats = rowsOf(sectionOf('SECURITY.md', 'Threats, defences and their tests')).filter(
    ([, threat]) => threat !== 'threat',
  )
  expect(threats.length).toBeGreaterThan(15)
  expect(
    threats
      .filter(([, , , shownBy = '']) => !/`(?:src|test)\/[^`]+\.test\.ts`|`npm run /.test(shownBy))
      .map(([, threat]) => threat),
  ).toEqual([])
})

test('every guarantee and every paragraph about security in ARCHITECTURE.md names the tests that show it', () => {
  const [guarantees = '', ...proof] = sectionOf('ARCHITECTURE.md', 'What must always be true').split(
    /\n\n(?=`railyard verify`)/,
  )
  const numbered = guarantees.split(/^(?=\d\. )/m).slice(1)
  const paragraphs = sectionOf('ARCHITECTURE.md', 'Security')
    .split('\n\n')
    .filter((paragraph) => !/^(?:Security$|Hard decisions)/.test(paragraph))
  expect(numbered).toHaveLength(5)
  expect(paragraphs.length).toBeGreaterThan(3)
  expect(
    [...numbered, ...proof, ...paragraphs].filter((text) => text.trim() !== '' && !/\.test\.ts`/.test(text)),
  ).toEqual([])
})

test('of PCI DSS each principal requirement has a row, and what is met, whole or in part, names a test by its title', () => {
  const rows = rowsOf(sectionOf('docs/security-requirements.md', 'PCI DSS 4.0.1')).filter(
    ([requirement]) => requirement !== 'requirement',
  )
  expect(rows.length).toBeGreaterThan(50)
  const principals = new Set(rows.map(([requirement = '']) => Number.parseInt(requirement, 10)))
  expect([...principals].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  const titled = /`(?:src|test)\/[^`]+\.test\.ts` "[^"]+"/
  expect(
    rows
      .filter(([, state, proof = '']) => state === 'met' && !titled.test(proof))
      .map(([requirement]) => requirement),
  ).toEqual([])
  expect(
    rows.filter(
      ([, state, proof = '']) => state === 'partly' && !titled.test(proof) && !/`npm run /.test(proof),
    ),
  ).toEqual([['3.7.1 strong keys', 'partly', expect.stringContaining('no test proves randomness')]])
})

test('every requirement has a state, and what is met names a test, a command or a document that shows it', () => {
  const requirements = rowsOf(read('docs/security-requirements.md')).filter(
    ([requirement]) => requirement !== 'requirement',
  )
  expect(requirements.length).toBeGreaterThan(80)
  expect(
    requirements.filter(([, state = '']) => !['met', 'partly', 'not met', 'operator'].includes(state)),
  ).toEqual([])
  const unproven = requirements.filter(
    ([, state, proof = '']) => state === 'met' && !/\.test\.ts`|`npm run /.test(proof),
  )
  expect(unproven.map(([requirement]) => requirement)).toEqual([])
})
