import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Generator, Load } from '../load.ts'
import { cpuMs, startNode } from '../processes.ts'
import type { Contender } from '../rounds.ts'
import { measureLoad } from './measure.ts'
import { payments } from './payment.ts'

/** Another server that developers use for their tests. */
export interface Peer extends Contender {
  stop(): Promise<void>
}

const folder = fileURLToPath(new URL('../peers/', import.meta.url))
const CONNECTIONS = 32

function installed(): boolean {
  if (existsSync(join(folder, 'node_modules'))) return true
  try {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
      cwd: folder,
      stdio: 'pipe',
      timeout: 180_000,
    })
    return true
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : error
    console.error(
      `  the peers are left out: npm ci in bench/peers failed (${reason}); with access to a registry it makes their rows`,
    )
    return false
  }
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

/**
 * Prism mocks our API document and stores nothing; stripe-stateful-mock stores charges in memory. Both get
 * the same load of 32 connections.
 */
export async function startPeers(
  generator: Generator,
  ours: { url: string; token: string },
): Promise<Peer[]> {
  if (!installed()) return []
  return [await prism(generator, ours), await stripe(generator)]
}

async function prism(generator: Generator, ours: { url: string; token: string }): Promise<Peer> {
  const document = join(await mkdtemp(join(tmpdir(), 'railyard-bench-')), 'openapi.json')
  await writeFile(document, await (await fetch(`${ours.url}/openapi.json`)).text())
  const port = await freePort()
  const cli = join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js')
  return peer(
    'prism mock @ 32',
    generator,
    { ...payments({ ...ours, url: `http://127.0.0.1:${port}` }) },
    [cli, 'mock', document, '-p', String(port), '-v', 'fatal'],
    {},
  )
}

async function stripe(generator: Generator): Promise<Peer> {
  const port = await freePort()
  const load = {
    url: `http://127.0.0.1:${port}`,
    method: 'POST' as const,
    paths: ['/v1/charges'],
    headers: { authorization: 'Bearer sk_test_bench', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'amount=1299&currency=usd&source=tok_visa&capture=false&metadata[cart]=8c1d0f',
  }
  const cli = join(folder, 'node_modules/stripe-stateful-mock/dist/cli.js')
  return peer('stripe-stateful-mock @ 32', generator, load, [cli], {
    PORT: String(port),
    LOG_LEVEL: 'silent',
  })
}

type PeerLoad = Omit<Load, 'connections' | 'until'>

async function peer(
  name: string,
  generator: Generator,
  load: PeerLoad,
  args: string[],
  env: Record<string, string>,
): Promise<Peer> {
  const { pid, stop } = await startNode(args, env, /^/)
  await answering(load)
  return {
    name,
    stop,
    measure: (seconds) =>
      measureLoad(generator, { ...load, connections: CONNECTIONS, until: { seconds } }, () => cpuMs([pid])),
  }
}

async function answering({ url, paths, headers, body }: PeerLoad): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const answer = await fetch(`${url}${paths[0]}`, {
      method: 'POST',
      headers,
      ...(body !== undefined && { body }),
    }).catch(() => undefined)
    if (answer?.ok) return
    if (answer) throw new Error(`${url} answers ${answer.status}: ${await answer.text()}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} did not answer within 30 s`)
}
