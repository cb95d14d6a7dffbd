import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Generator } from '../load.ts'
import { payments } from './payment.ts'
import { CONNECTIONS, type Peer, startPeer } from './peer.ts'

const folder = fileURLToPath(new URL('../peers/', import.meta.url))

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

export const peerNames = {
  prism: `prism mock @ ${CONNECTIONS}`,
  stripe: `stripe-stateful-mock @ ${CONNECTIONS}`,
}

/** Prism mocks our API document and stores nothing; stripe-stateful-mock stores charges in memory. */
export async function startPeers(
  generator: Generator,
  ours: { url: string; token: string },
): Promise<Peer[]> {
  if (!installed()) return []
  return [await startPrism(generator, ours), await startStripe(generator)]
}

async function startPrism(generator: Generator, ours: { url: string; token: string }): Promise<Peer> {
  const document = join(await mkdtemp(join(tmpdir(), 'railyard-bench-')), 'openapi.json')
  await writeFile(document, await (await fetch(`${ours.url}/openapi.json`)).text())
  const cli = join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js')
  return startPeer({
    name: peerNames.prism,
    generator,
    args: [cli, 'mock', document, '-p', '$PORT', '-v', 'fatal'],
    load: (url) => payments({ ...ours, url }),
  })
}

const startStripe = (generator: Generator): Promise<Peer> =>
  startPeer({
    name: peerNames.stripe,
    generator,
    args: [join(folder, 'node_modules/stripe-stateful-mock/dist/cli.js')],
    env: { LOG_LEVEL: 'silent' },
    load: (url) => ({
      url,
      method: 'POST',
      paths: ['/v1/charges'],
      headers: {
        authorization: 'Bearer sk_test_bench',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'amount=1299&currency=usd&source=tok_visa&capture=false&metadata[cart]=8c1d0f',
    }),
  })
