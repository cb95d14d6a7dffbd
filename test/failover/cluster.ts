import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../crash/crashes.ts'
import { type Node, type Owner, startNode } from './node.ts'

/** Three PostgreSQL nodes under Patroni with one etcd, and HAProxy in front. */
export interface Cluster {
  /** Through HAProxy. */
  url: string
  /** The hosts of the nodes, as in a `DATABASE_URL`. */
  hosts: string
  nodes: readonly Node[]
  primary(): Promise<Node | undefined>
  /**
   * Waits, two minutes at most, for a primary, a synchronous standby and another one, all on one timeline. Throws if
   * there are none by then.
   */
  untilWhole(): Promise<void>
  close(): Promise<void>
}

interface Member {
  name: string
  role: string
  state: string
  timeline?: number
}

const WHOLE_WITHIN_MS = 120_000

/** Installs Patroni, etcd and HAProxy if they are missing, and starts a cluster of three nodes. */
export async function startCluster(): Promise<Cluster> {
  execFileSync('bash', ['test/failover/install.sh'], { stdio: 'inherit' })
  const folder = await mkdtemp(join(tmpdir(), 'railyard-failover-'))
  const isRoot = process.getuid?.() === 0
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const owner: Owner = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  const folderOf = (name: string) => {
    mkdirSync(join(folder, name))
    return join(folder, name)
  }
  const log = openSync(join(folder, 'log'), 'a')
  const run = (program: string, ...args: string[]) =>
    spawn(program, args, { ...owner, cwd: '/', stdio: ['ignore', log, log] })

  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()]
  const etcdUrls = { client: `http://127.0.0.1:${etcdPort}`, peer: `http://127.0.0.1:${peerPort}` }
  const names = ['node1', 'node2', 'node3']
  const folders = ['etcd', ...names].map(folderOf)
  if (isRoot) execFileSync('chown', ['-R', 'postgres', folder])
  const etcd = run(
    'etcd',
    ...['--name', 'etcd', '--data-dir', join(folder, 'etcd', 'data'), '--log-level', 'error', '--enable-v2'],
    ...['--listen-client-urls', etcdUrls.client, '--advertise-client-urls', etcdUrls.client],
    ...['--listen-peer-urls', etcdUrls.peer, '--initial-advertise-peer-urls', etcdUrls.peer],
    ...['--initial-cluster', `etcd=${etcdUrls.peer}`],
  )
  const nodes: Node[] = []
  for (const [index, name] of names.entries())
    nodes.push(await startNode(name, folders[index + 1] ?? '', etcdPort, owner))
  const proxyFile = join(folder, 'haproxy.cfg')
  await writeFile(proxyFile, haproxyConfiguration(port, nodes))
  const haproxy = run('/usr/sbin/haproxy', '-db', '-f', proxyFile)
  const killAll = () => {
    for (const node of nodes) node.kill()
    for (const child of [haproxy, etcd]) child.kill('SIGKILL')
  }
  process.once('exit', killAll)

  /** What a node's Patroni answers; undefined: another status, or nothing in a second. */
  const ask = (node: Node, path: string): Promise<string | undefined> =>
    fetch(`http://127.0.0.1:${node.restPort}${path}`, { signal: AbortSignal.timeout(1_000) })
      .then(async (answer) => (answer.ok ? await answer.text() : undefined))
      .catch(() => undefined)
  /** The node that has the leader's key. */
  const primary = async (): Promise<Node | undefined> => {
    for (const node of nodes) if ((await ask(node, '/primary')) !== undefined) return node
    return undefined
  }
  /** The members as the primary's Patroni tells them: another may not know yet. */
  const members = async (): Promise<Member[]> => {
    const node = await primary()
    const answer = node && (await ask(node, '/cluster'))
    return answer === undefined ? [] : (JSON.parse(answer) as { members: Member[] }).members
  }
  let isBroken = false
  const isWhole = (found: readonly Member[]) =>
    found.length === nodes.length &&
    found.every(({ state }) => state === 'running' || state === 'streaming') &&
    new Set(found.map(({ timeline }) => timeline)).size === 1 &&
    ['leader', 'sync_standby'].every((role) => found.some((member) => member.role === role))
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    hosts: nodes.map(({ clientPort }) => `127.0.0.1:${clientPort}`).join(','),
    nodes,
    primary,
    async untilWhole() {
      const until = performance.now() + WHOLE_WITHIN_MS
      let found = await members()
      for (; !isWhole(found) && performance.now() < until; found = await members()) await wait(250)
      isBroken = !isWhole(found)
      if (isBroken) throw new Error(`the cluster is not whole: ${JSON.stringify(found)}; see ${folder}`)
    },
    async close() {
      process.off('exit', killAll)
      for (const node of nodes) await node.close()
      for (const child of [haproxy, etcd]) child.kill('SIGKILL')
      await wait(200)
      // the logs of a cluster that Patroni could not repair
      if (!isBroken) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** What `docs/operations/high-availability.md` shows, with the addresses of these nodes. */
const haproxyConfiguration = (port: number, nodes: readonly Node[]) => `
defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ name, clientPort, restPort }) => `  server ${name} 127.0.0.1:${clientPort} check port ${restPort}\n`).join('')}`
