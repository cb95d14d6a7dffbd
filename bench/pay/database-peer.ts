import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Generator } from '../load.ts'
import { postmaster, separateDatabase } from '../postgres.ts'
import { CONNECTIONS, type Peer, startPeer } from './peer.ts'

const run = promisify(execFile)

const LEAST_SECONDS = 10

/** Another server that stores payments in PostgreSQL and approves them by itself: it asks no other process. */
export interface DatabasePeer {
  title: string
  /** Its option on the command line and its folder in `bench/peers/`. */
  name: 'medusa' | 'vendure'
  /** What its packages take on the disk. */
  megabytes: number
  /** Arguments of Node that prepare the database, where the server does not do so by itself. */
  migrateArgs?: readonly string[]
  /** Arguments of Node. */
  startArgs: readonly string[]
  /** The database is in `DATABASE_URL` besides. */
  env: Record<string, string>
  /** What makes a payment at `POST /payments`. */
  payment: Record<string, unknown>
}

/** The row of a peer in the bench's table. */
export const rowOf = ({ title }: DatabasePeer): string => `${title} @ ${CONNECTIONS}`

/** Installs a peer if it is not there yet, and starts it with a PostgreSQL server of its own. */
export async function startDatabasePeer(peer: DatabasePeer, generator: Generator): Promise<Peer> {
  const cwd = fileURLToPath(new URL(`../peers/${peer.name}/`, import.meta.url))
  await install(peer, cwd)
  const database = await separateDatabase()
  const env = { ...peer.env, DATABASE_URL: database.url }
  if (peer.migrateArgs)
    await run(process.execPath, [...peer.migrateArgs], {
      cwd,
      env: { ...process.env, ...env },
      maxBuffer: 2 ** 26,
    })
  const started = await startPeer({
    name: rowOf(peer),
    generator,
    args: peer.startArgs,
    env,
    cwd,
    alsoCounted: [await postmaster(database.url)],
    load: (url) => ({
      url,
      method: 'POST',
      paths: ['/payments'],
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(peer.payment),
    }),
  })
  return {
    ...started,
    // one of its payments takes a second or more beside 31 others
    measure: (seconds) => started.measure(Math.max(seconds, LEAST_SECONDS)),
    async stop() {
      await started.stop()
      await database.drop()
    },
  }
}

/** The packages' own scripts are not run. */
async function install({ title, name, megabytes }: DatabasePeer, cwd: string): Promise<void> {
  if (existsSync(`${cwd}node_modules`)) return
  console.error(`  installing ${title} into bench/peers/${name} (${megabytes} MB)`)
  const options = ['--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']
  await run('npm', ['install', ...options], { cwd, timeout: 900_000, maxBuffer: 2 ** 26 })
}
