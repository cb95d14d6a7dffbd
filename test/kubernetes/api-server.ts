import { execFileSync, spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../crash/crashes.ts'

/** A Kubernetes API server with its controllers, on loopback. No node runs anything (`nodes.ts`). */
export interface ApiServer {
  /** For helm. */
  kubeconfig: string
  /** A request of an administrator. Null: a 404. Throws any other refusal. */
  ask<Answer = unknown>(method: string, path: string, body?: unknown): Promise<Answer | null>
  close(): Promise<void>
}

const READY_WITHIN_MS = 60_000
const root = fileURLToPath(new URL('../../', import.meta.url))

/** Those that objects of the chart need; none that watches the health of nodes. */
const controllers = [
  'deployment',
  'replicaset',
  'job',
  'namespace',
  'serviceaccount',
  'garbagecollector',
  'endpoint',
  'disruption',
  'horizontalpodautoscaling',
]

export async function startApiServer(): Promise<ApiServer> {
  const programs = execFileSync('bash', ['test/kubernetes/install.sh'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim()
  const folder = await mkdtemp(join(tmpdir(), 'railyard-kubernetes-'))
  const started: { stop(): Promise<void> }[] = []
  const close = async () => {
    for (const { stop } of started.reverse()) await stop()
    await rm(folder, { recursive: true, force: true })
  }
  const start = (program: string, ...args: string[]) => {
    const log = openSync(join(folder, `${program.split('/').at(-1)}.log`), 'a')
    const child = spawn(program, args, { stdio: ['ignore', log, log], env: { ...process.env, HOME: folder } })
    const ended = new Promise<void>((resolve) =>
      child.once('exit', () => resolve()).once('error', () => resolve()),
    )
    started.push({
      stop: () => {
        child.kill('SIGKILL')
        return ended
      },
    })
  }

  const [etcd, peer, secure, proxy] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const at = (port: number, scheme = 'http') => `${scheme}://127.0.0.1:${port}`
  const key = join(folder, 'accounts.key')
  execFileSync('openssl', ['genrsa', '-out', key, '2048'], { stdio: 'ignore' })
  await writeFile(join(folder, 'tokens.csv'), 'administrator,administrator,1,system:masters\n')
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'test', cluster: { server: at(secure, 'https'), 'insecure-skip-tls-verify': true } },
      ],
      users: [{ name: 'administrator', user: { token: 'administrator' } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'administrator' } }],
      'current-context': 'test',
    }),
  )

  start(
    'etcd',
    ...[
      '--data-dir',
      join(folder, 'etcd'),
      '--listen-client-urls',
      at(etcd),
      '--advertise-client-urls',
      at(etcd),
    ],
    ...['--listen-peer-urls', at(peer), '--initial-advertise-peer-urls', at(peer)],
    ...['--initial-cluster', `default=${at(peer)}`],
  )
  start(
    join(programs, 'kube-apiserver'),
    ...['--etcd-servers', at(etcd), '--secure-port', String(secure), '--bind-address', '127.0.0.1'],
    ...['--cert-dir', folder, '--service-cluster-ip-range', '10.0.0.0/24'],
    ...['--token-auth-file', join(folder, 'tokens.csv'), '--authorization-mode', 'RBAC'],
    ...['--service-account-issuer', 'https://test', '--service-account-key-file', key],
    ...['--service-account-signing-key-file', key],
  )
  start(
    join(programs, 'kube-controller-manager'),
    ...['--kubeconfig', kubeconfig, '--controllers', controllers.join(','), '--leader-elect=false'],
    ...['--port', '0', '--secure-port', '0'],
  )
  start(join(programs, 'kubectl'), '--kubeconfig', kubeconfig, 'proxy', '--port', String(proxy))

  const ask = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer | null> => {
    const answer = await fetch(`${at(proxy)}${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: {
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        },
      }),
    })
    if (answer.status === 404) return null
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Answer
  }

  const deadline = Date.now() + READY_WITHIN_MS
  const isReady = async () => {
    try {
      return (await ask('GET', '/api/v1/namespaces/default/serviceaccounts/default')) !== null
    } catch {
      return false
    }
  }
  while (!(await isReady())) {
    if (Date.now() > deadline) {
      const log = await readFile(join(folder, 'kube-apiserver.log'), 'utf8')
      await close()
      throw new Error(`the API server does not answer: ${log.slice(-2_000)}`)
    }
    await wait(200)
  }
  return { kubeconfig, ask, close }
}
