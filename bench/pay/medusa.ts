import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Generator } from '../load.ts'
import { postmaster, separateDatabase } from '../postgres.ts'
import { type Peer, startPeer } from './peer.ts'

const folder = fileURLToPath(new URL('../peers/medusa/', import.meta.url))
const run = promisify(execFile)

export const medusaName = 'Medusa @ 32'

const LEAST_SECONDS = 10

/** Some 700 MB of packages. Their scripts are not run. */
async function install(): Promise<void> {
  if (existsSync(`${folder}node_modules`)) return
  console.error('  installing Medusa into bench/peers/medusa (700 MB)')
  const options = ['--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']
  await run('npm', ['install', ...options], { cwd: folder, timeout: 900_000, maxBuffer: 2 ** 26 })
}

/**
 * Starts Medusa, which stores a payment in three rows of a PostgreSQL of its own, and approves it by
 * itself: it asks no other process.
 */
export async function startMedusa(generator: Generator): Promise<Peer> {
  await install()
  const database = await separateDatabase()
  const cli = `${folder}node_modules/@medusajs/cli/cli.js`
  const env = { DATABASE_URL: database.url, MEDUSA_DISABLE_TELEMETRY: '1', LOG_LEVEL: 'error' }
  await run(process.execPath, [cli, 'db:migrate'], {
    cwd: folder,
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 26,
  })
  const peer = await startPeer({
    name: medusaName,
    generator,
    args: [cli, 'start'],
    env,
    cwd: folder,
    alsoCounted: [await postmaster(database.url)],
    load: (url) => ({
      url,
      method: 'POST',
      paths: ['/payments'],
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 12.99, currency: 'usd', metadata: { cart: '8c1d0f', channel: 'web' } }),
    }),
  })
  return {
    ...peer,
    // one of its payments takes a second or more beside 31 others
    measure: (seconds) => peer.measure(Math.max(seconds, LEAST_SECONDS)),
    async stop() {
      await peer.stop()
      await database.drop()
    },
  }
}
