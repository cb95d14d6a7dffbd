import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { InvalidSetting } from '../settings.ts'
import { loadConnectors } from './load-connectors.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'railyard-connectors-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const load = (...connectors: string[]) =>
  loadConnectors({ connectors, environment: 'production' }, { now: () => 0 })

/** A package in a folder; answers its path. */
function packageOf(name: string, source: string): string {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true })
  writeFileSync(
    join(path, 'package.json'),
    JSON.stringify({ type: 'module', exports: { '.': './index.js' } }),
  )
  writeFileSync(join(path, 'index.js'), source)
  return path
}

const connector = (definition: object) => `({
  definition: ${JSON.stringify({
    id: 'other-card',
    displayName: 'Other',
    method: 'card',
    mode: 'card',
    fields: [],
    currencies: [],
    countries: [],
    features: {},
    integrationClients: ['redirect'],
    browserOptions: [],
    ...definition,
  })},
  operations: { sale: async () => ({ status: 'unknown', reason: '' }) },
  find: async () => ({ status: 'unsure' }),
  close: async () => ({ status: 'unsure' }),
  verifyCredentials: async () => 'no answer',
})`

const exporting = (definition: object = {}, version = 1) =>
  `export default { contractVersion: ${version}, connectors: () => [${connector(definition)}] }`

test('loads the connectors of a package by its path, and the template as it is', async () => {
  const loaded = await load(packageOf('good', exporting()), './connectors/_template')
  expect(loaded.map(({ definition }) => definition.id)).toEqual(['other-card', 'acme-card'])
})

const refusals: readonly (readonly [string, () => string[], RegExp])[] = [
  [
    'a package that is not installed',
    () => ['@acme/none'],
    /^CONNECTORS: @acme\/none cannot be loaded: no package of this name is installed .*npm install/,
  ],
  [
    'a path without a package',
    () => ['./no-such-folder'],
    /^CONNECTORS: \.\/no-such-folder cannot be loaded: there is no module at \/.*\/no-such-folder;/,
  ],
  [
    'a package that throws while it is loaded',
    () => [packageOf('throwing', 'throw new Error("no licence")')],
    /throwing cannot be loaded: no licence$/,
  ],
  [
    'a module that is no package of connectors',
    () => [packageOf('other', 'export default {}')],
    /other has no default export with a contractVersion/,
  ],
  [
    'another version of the contract',
    () => [packageOf('newer', exporting({}, 2))],
    /newer is for version 2 of the connectors' contract, and this is version 1$/,
  ],
  [
    'a package without the function',
    () => [packageOf('empty', 'export default { contractVersion: 1 }')],
    /empty has no function connectors$/,
  ],
  [
    'an invalid definition',
    () => [packageOf('wrong', exporting({ method: 'barter', features: { refunds: true } }))],
    /definition of other-card is wrong: barter is no payment method; the feature refunds is true/,
  ],
  [
    'a definition of another shape',
    () => [packageOf('shapeless', 'export default { contractVersion: 1, connectors: () => [{}] }')],
    /shapeless: its connectors cannot be read: /,
  ],
  [
    'an id of Railyard’s own',
    () => [packageOf('wallet', exporting({ id: 'mock-card' }))],
    /wallet has a connector mock-card, and so has Railyard itself$/,
  ],
  [
    'an id of another package',
    () => [packageOf('first', exporting()), packageOf('second', exporting())],
    /second has a connector other-card, and so has .*first$/,
  ],
]

test.each(refusals)('refuses %s with a message that names it', async (_what, names, message) => {
  await expect(load(...names())).rejects.toThrow(message)
  await expect(load(...names())).rejects.toThrow(InvalidSetting)
})
