import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../crash/process.ts'
import { proof, reportFindings } from '../support/proof.ts'
import { docker, follow, healthy, inspect, logsOf, until } from './docker.ts'
import { payDuring } from './load.ts'
import { pay, readPayment } from './requests.ts'

// npm run test:compose. Starts all of compose.yaml, pays through its load balancer, replaces its API containers under load, and starts it again on its volumes.

const { folder = '', rate } = proof('compose', { folder: String, rate: 5 })
const findings: string[] = []
const URL_OUTSIDE = 'http://127.0.0.1:8080'
const answering = ['api-1', 'api-2']
const ours = [...answering, 'worker-1', 'worker-2', 'sandbox']

const run = promisify(execFile)
const env = {
  ...process.env,
  COMPOSE_PROJECT_NAME: 'railyard',
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  POSTGRES_PASSWORD: randomBytes(24).toString('hex'),
}
async function compose(...args: string[]): Promise<string> {
  const { stdout } = await run('docker-compose', ['--file', 'compose.yaml', ...args], {
    cwd: root,
    env,
    maxBuffer: 16 * 2 ** 20,
  })
  return stdout.trim()
}
const idOf = (service: string) => compose('ps', '--all', '--quiet', service)
const railyard = (...command: string[]) => compose('exec', '-T', 'api-1', 'node', 'src/main.js', ...command)

/** Starts every service, and waits until each is what compose.yaml asks for. */
async function up(): Promise<number> {
  const began = performance.now()
  await compose('up', '--detach', '--no-build').catch(async (error) => {
    for (const service of ['postgres', 'migrate', ...ours, 'load-balancer'])
      console.error(service, await idOf(service).then(logsOf).catch(String))
    throw error
  })
  for (const service of ['postgres', ...ours]) await healthy(await idOf(service))
  await until(
    'the load balancer answers',
    () =>
      fetch(`${URL_OUTSIDE}/health/ready`).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      ),
    60_000,
  )
  return Math.round(performance.now() - began)
}

/** Replaces a container by another of the same service, and waits until the load balancer sends it requests. */
async function replace(service: string): Promise<number> {
  const began = performance.now()
  await compose('up', '--detach', '--no-build', '--no-deps', '--force-recreate', service)
  await healthy(await idOf(service))
  const reached = Promise.withResolvers<void>()
  const stop = follow(await idOf('load-balancer'), (line) => {
    if (line.includes(` processes/${service} `)) reached.resolve()
  })
  await reached.promise
  stop()
  return Math.round(performance.now() - began)
}

for (const image of ['railyard', 'postgres', 'haproxy'])
  await docker('load', '--quiet', '--input', join(folder, `${image}.tar`))
const upMs = await up()

const { State: migrated } = await inspect(await idOf('migrate'))
if (migrated.Status !== 'exited' || migrated.ExitCode !== 0)
  findings.push(`migrate: ${JSON.stringify(migrated)}`)
for (const service of [...ours, 'migrate', 'load-balancer']) {
  const { ReadonlyRootfs, CapDrop, SecurityOpt } = (await inspect(await idOf(service))).HostConfig
  if (!ReadonlyRootfs || CapDrop?.join() !== 'ALL' || !SecurityOpt?.includes('no-new-privileges:true'))
    findings.push(`${service} is not confined: ${JSON.stringify({ ReadonlyRootfs, CapDrop, SecurityOpt })}`)
}

const token = await railyard('token', '--scopes', '*.read,*.write')
const first = await pay(URL_OUTSIDE, token)
if (first.status !== 201) findings.push(`the first payment: ${JSON.stringify(first)}`)

const replacedMs: number[] = []
const { failed, ...load } = await payDuring({ url: URL_OUTSIDE, token, perSecond: rate }, async () => {
  for (const service of answering) replacedMs.push(await replace(service))
})
findings.push(...failed.map((line) => `failed: ${line}`))

const verified = await railyard('verify')
await compose('down')
const againMs = await up()
const kept = await readPayment(URL_OUTSIDE, token, first.body.id ?? '')
if (kept.body.amount !== 1299) findings.push(`after a restart of everything: ${JSON.stringify(kept)}`)
const second = await pay(URL_OUTSIDE, token)
if (second.status !== 201) findings.push(`a payment after the restart: ${JSON.stringify(second)}`)
await compose('down', '--volumes')

console.log(
  JSON.stringify({
    upMs,
    ...load,
    failed: failed.length,
    replacedMs,
    againMs,
    verified: verified.split('\n').at(-1),
  }),
)
reportFindings(findings)
