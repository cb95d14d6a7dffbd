import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { loaderAsset, scriptAsset, styleAsset } from '../../src/elements/assets.ts'
import { cardDocument } from '../../src/elements/card.page.ts'
import { chooseCardWords } from '../../src/elements/words/choose.ts'
import { compileStrictly, resolutionsOf } from './foreign-project.ts'

// npm and the compiler run as processes: on a busy machine each takes seconds
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const run = promisify(execFile)
const root = process.cwd()
let project: string

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'railyard-foreign-'))
  await run(
    'npm',
    ['pack', '--workspace', '@railyard/elements', '--ignore-scripts', '--pack-destination', project],
    { cwd: root },
  )
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'shop', private: true }))
  await run(
    'npm',
    ['install', '--offline', '--no-audit', '--no-fund', join(project, 'railyard-elements-0.1.0.tgz')],
    { cwd: project },
  )
})
afterAll(() => rm(project, { recursive: true, force: true }))

const usage = `
async function pay(session: string): Promise<string | null> {
  const elements = await loadRailyard({ origin: 'https://pay.example', session })
  const card = elements.card({ style: { fontSize: '16px' }, locale: 'de' })
  card.mount('#card')
  const stop: () => void = card.on('change', ({ complete, brand }) => console.log(complete, brand))
  card.on('error', ({ code }) => console.log(code))
  stop()
  // @ts-expect-error there is no such event
  card.on('digits', () => undefined)
  // @ts-expect-error there is no such style
  card.update({ style: { backgroundImage: 'url(x)' } })
  elements.cardFields().number.mount('#number')
  return (await card.submit()).last4
}
const code = (error: unknown) => (error instanceof RailyardElementsError ? error.code : undefined)
`
const esm = `import { loadRailyard, RailyardElementsError } from '@railyard/elements'
${usage}
export { code, pay }
`
const commonjs = `import elements = require('@railyard/elements')
const { loadRailyard, RailyardElementsError } = elements
${usage}
export = { code, pay }
`

test.each(resolutionsOf({ esm, commonjs }))(
  'a strict project compiles with %s resolution (%s)',
  async (...compiled) => {
    expect(await compileStrictly(project, compiled, ['es2022', 'dom', 'dom.iterable'])).toBe('')
  },
)

test('the package has no dependency', async () => {
  const installed = join(project, 'node_modules/@railyard/elements')
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ sideEffects: false, type: 'module' })
  expect(manifest.dependencies ?? {}).toEqual({})
})

test('the script of a merchant’s page and everything that a frame loads stay small', () => {
  const size = (text: string) => gzipSync(text).length
  const loader = size(loaderAsset.content)
  const frames = ['en', 'ja'].map((locale) =>
    size(
      cardDocument({
        view: 'card',
        fields: ['number', 'expiry', 'code', 'postalCode'],
        parent: 'https://shop.example',
        session: '018f0000-0000-7000-8000-000000000000',
        base: 'https://fields.example',
        words: chooseCardWords(locale, undefined),
      }),
    ),
  )
  expect(loader).toBeLessThan(5_000)
  expect(loader + Math.max(...frames) + size(scriptAsset.content) + size(styleAsset.content)).toBeLessThan(
    25_000,
  )
})
