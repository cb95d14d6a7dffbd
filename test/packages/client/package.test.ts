import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileStrictly, resolutionsOf } from '../foreign-project.ts'

const run = promisify(execFile)
const root = process.cwd()

let project: string
let tarball: string

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'railyard-foreign-'))
  const { stdout } = await run(
    'npm',
    ['pack', '--workspace', '@railyard/client', '--json', '--ignore-scripts', '--pack-destination', project],
    { cwd: root },
  )
  tarball = join(project, 'railyard-client-0.1.0.tgz')
  expect(stdout).toContain('railyard-client-0.1.0.tgz')
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'shop', private: true }))
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project })
})

afterAll(() => rm(project, { recursive: true, force: true }))

const usage = `
async function pay(): Promise<number> {
  const railyard = createRailyard({ baseUrl: 'https://railyard.example', token: 't' })
  const created = await railyard.transactions.create({ amount: 1, currency: 'USD' })
  const status: string = created.status
  if (created.status === 'authorization_succeeded') await railyard.transactions.capture(created.id)
  const capture = await railyard.transactions.capture(created.id, {}, { prefer: 'resource=transaction-capture' })
  const kind: 'transaction-capture' = capture.type
  for await (const transaction of railyard.transactions.list({ limit: 10 })) console.log(transaction.amount)
  const condition: Condition = { all: [{ field: 'amount', operator: 'gt', value: 100 }] }
  await railyard.flows.rules.create('checkout', { display_name: 'a', action: 'decline-early', condition })
  const event = await verifyWebhook('{}', {}, 'secret')
  switch (event.name) {
    case 'transaction.captured':
      return event.target.captured_amount
    case 'refund.succeeded':
      return event.target.amount
    default:
      return status.length + kind.length
  }
}
const code = (error: unknown) => (error instanceof RailyardError ? error.code : undefined)
// @ts-expect-error an amount is a number
createRailyard({ baseUrl: '', token: '' }).transactions.create({ amount: '1', currency: 'USD' })
// @ts-expect-error there is no such event
const name: EventName = 'transaction.guessed'
// @ts-expect-error a truth has no order
const wrong: Condition = { field: 'merchant_initiated', operator: 'gt', value: true }
`
const esm = `import { type Condition, createRailyard, type EventName, RailyardError, verifyWebhook } from '@railyard/client'
${usage}
export { code, name, pay, wrong }
`
const commonjs = `import client = require('@railyard/client')
import type { Condition, EventName } from '@railyard/client'
const { createRailyard, RailyardError, verifyWebhook } = client
${usage}
export = { code, name, pay, wrong }
`

test.each(resolutionsOf({ esm, commonjs }))(
  'a strict project compiles with %s resolution (%s)',
  async (...compiled) => {
    expect(await compileStrictly(project, compiled)).toBe('')
  },
)

const program = `
const railyard = createRailyard({ baseUrl: 'https://railyard.example', token: 't', fetch: async () => Response.json({ id: 'x' }) })
railyard.transactions.create({ amount: 1, currency: 'USD' }).then(({ id }) => console.log(id, typeof verifyWebhook, new RailyardError({ message: '', status: 400, code: 'bad_request' }).name))
`

test.each([
  [
    'index.mjs',
    `import { createRailyard, RailyardError, verifyWebhook } from '@railyard/client'\n${program}`,
  ],
  [
    'index.cjs',
    `const { createRailyard, RailyardError, verifyWebhook } = require('@railyard/client')\n${program}`,
  ],
])('the installed package runs from %s', async (file, source) => {
  await writeFile(join(project, file), source)
  const { stdout } = await run('node', [file], { cwd: project })
  expect(stdout).toBe('x function RailyardError\n')
})

test('the package has its bundle, types, source maps, README and licence, and no dependency', async () => {
  const installed = join(project, 'node_modules/@railyard/client')
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ sideEffects: false, type: 'module' })
  expect(manifest.dependencies ?? {}).toEqual({})
  const names =
    gunzipSync(await readFile(tarball))
      .toString('latin1')
      .match(/package\/[\w./-]+/g) ?? []
  const files = new Set(names.filter((name) => !name.includes('//')))
  for (const file of ['README.md', 'LICENSE', 'dist/index.js.map', 'dist/index.cjs.map', 'dist/index.d.cts'])
    expect(files).toContain(`package/${file}`)
})

test('the bundle needs nothing but what browsers and workers have', async () => {
  await cp(join(root, 'packages/client/dist/index.js'), join(project, 'bundle.mjs'))
  const bundle = await readFile(join(project, 'bundle.mjs'), 'utf8')
  expect(bundle).not.toMatch(/\bfrom ['"]|\brequire\(|\bimport\(|\bprocess\.|\bBuffer\b|\bnode:/)
})
