import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { render } from '../chart/helm.ts'
import { podOf } from '../chart/pods.ts'
import { balanceOver } from '../processes/balancer.ts'
import { proof, reportFindings } from '../support/proof.ts'
import { docker, healthy, until } from './docker.ts'
import { createPod, type Pod, type PodSetting } from './kubelet.ts'
import { payDuring } from './load.ts'

// npm run test:rollout. Runs the pods of the chart as containers, and replaces them as a Deployment and a kubelet do, under load.

const {
  folder = '',
  rate,
  rollouts,
  lag,
} = proof('rollout', {
  folder: String,
  rate: 5,
  rollouts: 1,
  /** Milliseconds that a Service or an ingress controller takes to notice that a pod is being deleted. */
  lag: 5_000,
})
const findings: string[] = []
const password = randomBytes(24).toString('hex')
const secrets = {
  DATABASE_URL: `postgres://railyard:${password}@postgres:5432/railyard`,
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
}
// the sandbox, whose payment services answer here; everything else is the chart's
const instead = { RAILYARD_ENV: 'sandbox', SANDBOX_URL: 'http://sandbox:8090' }
const network = 'cluster'
const setting: PodSetting = { image: 'railyard:dev', network, secrets, instead, lag }

for (const image of ['railyard', 'postgres'])
  await docker('load', '--quiet', '--input', join(folder, `${image}.tar`))
await docker('network', 'create', network)
await docker(
  ...[
    'run',
    '--detach',
    '--name',
    'postgres',
    '--network',
    network,
    '--health-cmd',
    'pg_isready -h 127.0.0.1 -U railyard',
  ],
  ...['--health-interval', '1s', '--env', 'POSTGRES_USER=railyard', '--env', 'POSTGRES_DB=railyard'],
  ...['--env', `POSTGRES_PASSWORD=${password}`, 'postgres:17-bookworm'],
)
await docker(
  ...[
    'run',
    '--detach',
    '--name',
    'sandbox',
    '--network',
    network,
    '--env',
    'RAILYARD_ENV=sandbox',
    'railyard:dev',
  ],
  ...['sandbox', '--host', '0.0.0.0', '--port', '8090'],
)
await healthy('postgres')

const objects = await render(['--values', 'test/chart/values/default.yaml'])
const specOf = (kind: string, name: string) => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name.startsWith(name))
  if (!found) throw new Error(`the chart has no ${kind} ${name}`)
  return found.spec
}
const migration = await createPod('migrate', podOf(specOf('Job', 'railyard-migrate')), setting)
const migrated = await migration.ended
if (migrated.code !== 0) findings.push(`the migration ended with ${migrated.code}: ${migrated.output}`)

const endpoints = new Set<Pod>()
const apis = new Set<Pod>()
const balancer = await balanceOver(() =>
  [...endpoints].filter((pod) => pod.isReady()).map(({ address }) => ({ host: address, port: 8080 })),
)
let created = 0
const ends: Promise<void>[] = []
const ended: { code: number; ms: number; graceMs: number }[] = []

/** A Deployment: `maxSurge: 1, maxUnavailable: 0`, as the chart has it (test/chart/chart.test.ts). */
class Deployment {
  readonly role: 'api' | 'worker'
  readonly #spec
  #pods: Pod[] = []

  constructor(role: 'api' | 'worker') {
    this.role = role
    this.#spec = specOf('Deployment', `railyard-${role}`)
  }

  get pods(): readonly Pod[] {
    return this.#pods
  }

  async scale(): Promise<void> {
    while (this.#pods.length < Number(this.#spec['replicas'])) await this.#add()
  }

  /** One more, and once that is ready one fewer; the controller does not wait until that one has ended. */
  async replaceAll(): Promise<void> {
    for (const old of [...this.#pods]) {
      await this.#add()
      this.#pods = this.#pods.filter((pod) => pod !== old)
      ends.push(
        old.remove().then((end) => {
          endpoints.delete(old)
          ended.push(end)
          if (end.code !== 0) findings.push(`a pod ended with ${end.code} after ${end.ms} ms: ${end.output}`)
        }),
      )
    }
  }

  async #add(): Promise<void> {
    const pod = await createPod(`${this.role}-${++created}`, podOf(this.#spec), setting)
    if (this.role === 'api') {
      endpoints.add(pod)
      apis.add(pod)
    }
    await until(`${pod.name} ready`, () => pod.isReady() || undefined, 240_000)
    this.#pods.push(pod)
  }
}

const [api, worker] = [new Deployment('api'), new Deployment('worker')]
await api.scale()
await worker.scale()
const token = await docker('exec', 'api-1', 'node', 'src/main.js', 'token', '--scopes', '*.read,*.write')

let connections = 0
let watching = true
const watched = (async () => {
  for (; watching; await wait(500)) {
    const count = await docker(
      'exec',
      'postgres',
      'psql',
      '-U',
      'railyard',
      '-Atc',
      "select count(*) from pg_stat_activity where usename = 'railyard'",
    )
    connections = Math.max(connections, Number(count))
  }
})()
const { failed, ...load } = await payDuring(
  { url: `http://127.0.0.1:${balancer.port}`, token, perSecond: rate },
  async () => {
    for (let count = 0; count < rollouts; count++) {
      await Promise.all([api.replaceAll(), worker.replaceAll()])
      await Promise.all(ends)
    }
  },
)
watching = false
await watched
findings.push(...failed.map((line) => `failed: ${line}`))
const verified = await docker('exec', api.pods[0]?.name ?? '', 'node', 'src/main.js', 'verify')
await balancer.close()

console.log(
  JSON.stringify({
    ...load,
    failed: failed.length,
    pods: ended.length,
    slowestEndMs: Math.max(...ended.map(({ ms }) => ms)),
    graceMs: ended[0]?.graceMs,
    connections,
    leftOut: [...apis].reduce((sum, pod) => sum + pod.leftOut(), 0),
    verified: verified.split('\n').at(-1),
  }),
)
reportFindings(findings)
process.exit()
