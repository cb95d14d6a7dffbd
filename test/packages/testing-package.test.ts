import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { compileStrictly, resolutionsOf } from './foreign-project.ts'

// npm, the compiler and the service run as processes: on a busy machine each takes seconds
vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 })

const run = promisify(execFile)
const root = process.cwd()

let project: string

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'railyard-foreign-'))
  await run('npm', ['run', 'build', '--workspace', '@railyard/testing'], { cwd: root })
  const tarballs = []
  for (const name of ['client', 'testing']) {
    const pack = [
      'pack',
      '--workspace',
      `@railyard/${name}`,
      '--ignore-scripts',
      '--pack-destination',
      project,
    ]
    await run('npm', pack, { cwd: root })
    tarballs.push(join(project, `railyard-${name}-0.1.0.tgz`))
  }
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'shop', private: true }))
  // without the script with which the package node downloads its program: this repository has it already
  const install = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs]
  await run('npm', install, { cwd: project })
  const bin = join(project, 'node_modules/node/bin')
  await mkdir(bin, { recursive: true })
  await symlink(process.execPath, join(bin, 'node'))
})

afterAll(() => rm(project, { recursive: true, force: true }))

const usage = `
async function pay(): Promise<string> {
  const railyard: Railyard = await startRailyard()
  const { client } = railyard
  const created = await client.transactions.create({ amount: amounts.approved, currency: 'EUR', payment_method: card })
  await railyard.faults.set([{ operation: 'authorize', kind: 'lost', times: 1 }, { operation: '*', kind: 'delay', delay_ms: 5, service: 'wallet-wallet' }])
  // @ts-expect-error there is no such kind
  await railyard.faults.set([{ operation: 'authorize', kind: 'lostt' }])
  // @ts-expect-error there is no such operation
  await railyard.faults.set([{ operation: 'autorize', kind: 'lost' }])
  // @ts-expect-error an amount is a number
  await client.transactions.create({ amount: '1', currency: 'EUR' })
  const fork = await railyard.fork()
  const now: Date = await fork.clock.advance({ days: 1 })
  await fork.close()
  return created.status + now.toISOString()
}
`
const esm = `import { amounts, card, type Railyard, startRailyard } from '@railyard/testing'
${usage}
export { pay }
`
const commonjs = `import testing = require('@railyard/testing')
import type { Railyard } from '@railyard/testing'
const { amounts, card, startRailyard } = testing
${usage}
export = { pay }
`

test.each(resolutionsOf({ esm, commonjs }))(
  'a strict project compiles with %s resolution (%s)',
  async (...compiled) => {
    expect(await compileStrictly(project, compiled)).toBe('')
  },
)

const program = `
startRailyard({ isolated: true }).then(async (railyard) => {
  const payment = await railyard.client.transactions.create({ amount: 1299, currency: 'EUR', country: 'DE', payment_method: railyard.card })
  const fork = await railyard.fork()
  const captured = await fork.client.transactions.capture(payment.id)
  const { status } = await railyard.client.transactions.get(payment.id)
  console.log(captured.status, status)
  await railyard.close()
})
`
const imported = `import { startRailyard } from '@railyard/testing'\n${program}`
const required = `const { startRailyard } = require('@railyard/testing')\n${program}`

/** Another Node than the service's, if this machine has one. */
const olderNode = '/usr/bin/node'

test.each([
  ['index.mjs', imported, process.execPath],
  ['index.cjs', required, existsSync(olderNode) ? olderNode : process.execPath],
])('the installed package starts Railyard and forks it from %s', async (file, source, node) => {
  await writeFile(join(project, file), source)
  const env = { ...process.env, TMPDIR: await mkdtemp(join(project, 't-')) }
  const { stdout } = await run(node, [file], { cwd: project, env })
  expect(stdout).toBe('capture_succeeded authorization_succeeded\n')
})
