import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { launch, launchRailyard, type Running, root } from '../crash/process.ts'
import { fakeNames } from '../fakes/hosted-fake.ts'
import { type RunningFake, startFake } from '../fakes/server.ts'
import { makeInstance } from '../support/prepared-instance.ts'
import { type Block, blocksOf, expectedLines, expectedShellLines, programOf } from './blocks.ts'

const INDEX = 'docs/guides/index.md'
const guides = Array.from(
  readFileSync(join(root, INDEX), 'utf8').matchAll(/^(?:\d+\.|-) \[[^\]]+\]\(([\w-]+\.md)\)/gm),
  ([, name]) => `docs/guides/${name}`,
)
const operations = readdirSync(join(root, 'docs/operations'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/operations/${name}`)
const pages = [
  'README.md',
  'packages/client/README.md',
  'packages/elements/README.md',
  ...guides,
  ...operations,
].map((path) => ({
  path,
  blocks: blocksOf(join(root, path)),
}))
const isRun = ({ info }: Block) => info !== 'no-run'
/** Commands that need the embedded database for themselves: they run on an instance that no process serves. */
const needsStop = ({ info }: Block) => info === 'stopped'
const hasName = ({ info }: Block) => /^[\w-]+\.ts$/.test(info)
/** What a reader has saved under a name. */
const saved = pages.flatMap(({ blocks }) => blocks.filter(hasName))

/**
 * Blocks that cannot run here, by the page: they start, stop or deploy a service, need a file of the
 * reader's, or never end.
 */
const notRun: Record<string, number> = {
  'README.md': 1, // starts the service, and the whole suite
  'packages/client/README.md': 1, // a package of the reader's
  'packages/elements/README.md': 3, // pages of the reader's
  'docs/guides/3-d-secure.md': 1, // a page of the reader's
  'docs/guides/deploy.md': 5, // compose, kubectl and helm, containers
  'docs/guides/approvals.md': 1, // a person's session
  'docs/guides/first-payment.md': 1, // starts the service
  'docs/guides/first-payment-with-stripe.md': 1, // starts the service
  'docs/guides/first-payment-with-adyen.md': 1, // the same
  'docs/guides/first-payment-with-checkout.md': 1, // the same
  'docs/guides/first-payment-with-mollie.md': 1, // the same
  'docs/guides/gift-cards.md': 1, // the reader's account at Adyen
  'docs/guides/agentic-commerce.md': 2, // commands of the operator: a key, and a start with a setting
  'docs/guides/webhooks.md': 2, // a package of the reader's; a command that never ends
  'docs/guides/capsules.md': 2, // an id and a file of the reader's; src/cli/capsule.test.ts
  'docs/guides/card-form-in-a-browser.md': 2, // a provider's script; the reader's BIN file
  'docs/guides/card-fields.md': 2, // a page of the reader's, and the card that its buyer enters
  'docs/guides/checkout-in-your-page.md': 3, // the reader's key, and pages of the reader's
  'docs/guides/mcp.md': 2, // starts the service; a key of the reader's, which needs it stopped
  'docs/guides/merchant-accounts.md': 2, // the id of the reader's key pair; a person's invitation
  'docs/guides/write-a-connector.md': 1, // starts the service
  'docs/guides/reconciliation.md': 1, // a payment service's report
  'docs/guides/scaling.md': 3, // PostgreSQL and several processes
  'docs/guides/testing.md': 3, // examples/testing runs it; a package of the reader's; src/testing/fork.test.ts
  'docs/operations/archive.md': 2, // a program of the reader's; files of an archive that no row names
  'docs/operations/audit.md': 1, // a link of the reader's audit log
  'docs/operations/citus.md': 2, // needs several servers
  'docs/operations/high-availability.md': 1, // needs several machines
  'docs/operations/hosted-pages.md': 1, // an incident of the reader's
  'docs/operations/logs.md': 1, // starts the service
  'docs/operations/monitoring.md': 1, // installs packages, and starts the service
  'docs/operations/outgoing.md': 1, // starts the service
  'docs/operations/read-replicas.md': 1, // starts the service
  'docs/operations/verify.md': 1, // a link of the reader's journal
  'docs/operations/webhooks.md': 1, // a delivery of the reader's
}

let folder: string
let dataDir: string
let railyard: Running
let env: Record<string, string>
const fakes = new Map<string, RunningFake>()
/** What happened to the notifications of each fake. */
const delivered = new Map<string, string[]>()
let withFakes: Running | undefined

/**
 * The variables of a page about a provider: an instance of its own, whose providers are fakes, and what a
 * merchant has of the provider.
 */
async function providerEnv(name: string): Promise<Record<string, string>> {
  const fake = fakes.get(name)
  if (!fake || !withFakes) throw new Error(`there is no fake of ${name}`)
  const { url } = await withFakes.ready
  return { ...env, ...fake.credentials, BASE_URL: url, [`${name.toUpperCase()}_URL`]: fake.url }
}

/** An instance beside the other one: the payment services of these pages would take payments of others. */
async function startWithFakes(): Promise<void> {
  for (const name of fakeNames) {
    const lines: string[] = []
    delivered.set(name, lines)
    const print = (line: string) => void (line.startsWith('notification') && lines.push(line))
    fakes.set(name, await startFake(name, { print }))
  }
  const place = join(folder, 'data-with-fakes')
  await makeInstance(place)
  withFakes = launchRailyard({
    DATA_DIR: place,
    PORT: '0',
    LOG_LEVEL: 'error',
    RECOVERY_INTERVAL_MS: '200',
    PROVIDER_URLS: [...fakes].map(([name, { url }]) => `${name}=${url}`).join(),
  })
  await withFakes.ready
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'railyard-guides-'))
  dataDir = join(folder, 'data')
  await makeInstance(dataDir)
  railyard = launchRailyard({
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'error',
    RECOVERY_INTERVAL_MS: '200',
    PROVIDER_TIMEOUT_MS: '2000',
  })
  const { url } = await railyard.ready
  await mkdir(join(folder, 'bin'))
  // a page shows `curl -s`; here an HTTP error ends the page
  await writeFile(
    join(folder, 'bin/curl'),
    `#!/bin/sh\nPATH='${process.env['PATH']}' exec curl --fail-with-body "$@"\n`,
    { mode: 0o755 },
  )
  env = { DATA_DIR: dataDir, BASE_URL: url, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` }
  const signed = await launch(
    ['src/main.js', 'token', '--scopes', '*.read,*.write', '--expires-in', '1h'],
    { DATA_DIR: dataDir },
    /(?!)/,
  ).ended
  env['TOKEN'] = signed.output.trim()
  await startWithFakes()
})

afterAll(async () => {
  await railyard?.stop()
  await withFakes?.stop()
  for (const fake of fakes.values()) await fake.close()
  await rm(folder, { recursive: true, force: true })
})

interface Program {
  page: string
  command: string
  /** The name that the program is saved under. */
  file: string
  program: string
  env: Record<string, string>
}

/** Ends a program that hangs. On a busy machine each command of a page takes ten seconds. */
const PROGRAM_MS = 240_000
vi.setConfig({ testTimeout: PROGRAM_MS + 60_000 })

/** Runs a program in a folder of its own, in which `npm run` finds this clone. */
async function run({ page, command, file, program, env }: Program): Promise<string> {
  const place = await mkdtemp(join(folder, 'page-'))
  for (const name of ['package.json', 'src', 'dist', 'node_modules', 'examples', 'connectors'])
    await symlink(join(root, name), join(place, name))
  for (const { info: name, code } of saved) await writeFile(join(place, name), code)
  await writeFile(join(place, file), program)
  return new Promise((resolve, reject) =>
    execFile(command, [file], { cwd: place, env, timeout: PROGRAM_MS }, (error, stdout, stderr) =>
      error
        ? reject(
            new Error(
              `${page} does not run (the line of ${file} is that of the page):\n${stderr}\n${stdout}`,
            ),
          )
        : resolve(stdout),
    ),
  )
}

/** The page says which lines its program prints, in their order; it may print others. */
function expectPrinted(path: string, printed: string, expected: readonly string[]): void {
  const lines = printed.split('\n')
  let from = 0
  for (const line of expected) {
    const at = lines.indexOf(line, from)
    expect(
      at,
      `${path} prints "${line}", after what it prints before; it printed:\n${printed}`,
    ).toBeGreaterThanOrEqual(from)
    from = at + 1
  }
}

const withExamples = pages.filter(({ blocks }) =>
  blocks.some(
    (block) => isRun(block) && (block.language === 'sh' || (block.language === 'ts' && !hasName(block))),
  ),
)

describe.each(withExamples)('$path', ({ path, blocks }) => {
  const typescript = blocks.filter((block) => block.language === 'ts' && isRun(block) && !hasName(block))
  const runTypeScript = async () => {
    const printed = await run({
      page: path,
      command: process.execPath,
      file: 'page.ts',
      program: programOf(typescript),
      env,
    })
    expectPrinted(path, printed, expectedLines(typescript))
  }
  if (typescript.length > 0)
    test('its TypeScript examples run and print what their comments say', runTypeScript)

  const shell = blocks.filter((block) => block.language === 'sh' && isRun(block))
  const runShell = (some: readonly Block[], variables: Record<string, string>) => {
    const trap = `set -Eeuo pipefail; trap 'echo "line $LINENO: $BASH_COMMAND" >&2' ERR`
    const program = programOf(some).replace(/^\n/, `${trap}\n`)
    return run({ page: path, command: 'bash', file: 'page.sh', program, env: variables })
  }
  const whileServed = shell.filter((block) => !needsStop(block))
  if (whileServed.length > 0)
    test('its shell examples run, and print what their comments say', async () => {
      const [, provider] = /first-payment-with-(\w+)\.md$/.exec(path) ?? []
      const printed = await runShell(whileServed, provider ? await providerEnv(provider) : env)
      expectPrinted(path, printed, expectedShellLines(whileServed))
      if (!provider) return
      // it was Railyard's webhook, and the page has the key that signs
      await vi.waitFor(() => expect(delivered.get(provider)?.length).toBeGreaterThan(0), 5_000)
      expect(delivered.get(provider)?.filter((line) => !line.endsWith('accepted'))).toEqual([])
    })

  const whileStopped = shell.filter(needsStop)
  const runOnStoppedInstance = async () => {
    const instance = await mkdtemp(join(folder, 'stopped-'))
    await makeInstance(instance)
    await runShell(whileStopped, { DATA_DIR: instance, PATH: env['PATH'] ?? '' })
  }
  if (whileStopped.length > 0) test('its commands run on a stopped instance', runOnStoppedInstance)
})

test('examples that are not run are few, and listed with their reason', () => {
  const left = pages.flatMap(({ path, blocks }) =>
    blocks.filter(({ info }) => info === 'no-run').map(() => path),
  )
  const counts = Object.fromEntries(
    [...new Set(left)].map((path) => [path, left.filter((other) => other === path).length]),
  )
  expect(counts).toEqual(notRun)
  expect(left.length).toBeLessThan(
    pages.flatMap(({ blocks }) => blocks.filter(({ language }) => language === 'ts' || language === 'sh'))
      .length / 4,
  )
})

test('no example reads JSON with grep and cut, and none is JavaScript', () => {
  for (const { path, blocks } of pages) {
    expect(
      blocks
        .filter(({ code }) => /\| *(?:grep -o|cut|sed)\b/.test(code))
        .map(({ line }) => `${path}:${line}`),
    ).toEqual([])
    expect(
      blocks
        .filter(({ language }) => /^(?:js|javascript|bash|shell|typescript)$/.test(language))
        .map(({ line }) => `${path}:${line}`),
    ).toEqual([])
  }
})

test('the index of the guides lists every guide', async () => {
  const there = (await readdir(join(root, 'docs/guides'))).filter(
    (name) => name.endsWith('.md') && name !== 'index.md',
  )
  expect(guides.toSorted()).toEqual(there.map((name) => `docs/guides/${name}`).sort())
})
