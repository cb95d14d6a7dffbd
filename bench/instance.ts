import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readSigner, type Signer, signToken } from '../src/accounts/api-keys/private-key.ts'
import { openDatabase } from '../src/database/open-database.ts'
import { privateKeyFile } from '../src/process/create-instance.ts'
import { readSettings } from '../src/settings.ts'
import { verify } from '../src/verify/verify.ts'
import type { Engine } from './options.ts'
import { freshDatabase, postmaster } from './postgres.ts'
import { cpuMs, type Program, residentMb, startNode } from './processes.ts'

/** The file of the command line. */
export const main = fileURLToPath(new URL('../src/main.js', import.meta.url))
const loopDelay = new URL('./loop-delay.js', import.meta.url).href

/** The folder and database of an instance, whether it runs or not. */
export interface Place {
  engine: Engine
  folder: string
  env: Record<string, string>
  remove(): Promise<void>
}

export async function newPlace(engine: Engine, newDatabase = freshDatabase): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-bench-'))
  const database = engine === 'postgres' ? await newDatabase() : undefined
  return {
    engine,
    folder,
    env: { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'warn', DATABASE_URL: database?.url ?? '' },
    async remove() {
      await database?.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The C library's settings of `npm start` and of the image. */
const allocator = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' }

/** Starts `railyard start` in a new process, as a user does. `node`: further options of Node. */
export const startServer = (
  place: Place,
  env: Record<string, string> = {},
  node: string[] = [],
): Promise<Program> =>
  startNode(
    ['--import', loopDelay, ...node, main, 'start'],
    { ...allocator, ...place.env, ...env },
    /^ +API +(http\S+)$/m,
  )

/**
 * Starts the provider in a new process. It writes its books to a file without fsync: its speed is not
 * measured.
 */
export const startProvider = (folder: string): Promise<Program> =>
  startNode(
    [main, 'sandbox', '--port', '0', '--books', join(folder, 'provider-books.jsonl')],
    {},
    /listening on (http\S+)/,
  )

/** The server under test with its provider and its measurements. */
export interface Instance {
  place: Place
  url: string
  signer: Signer
  /** Valid for the whole run. */
  token: string
  /** CPU milliseconds of server and database so far, without the provider. */
  cpuMs(): number
  /** Resident memory of the server, in megabytes. */
  residentMb(): number
  /** 99th percentile of the event loop's delay since the last call, in milliseconds. */
  loopDelay(): Promise<number>
  /** The process under test. */
  server: Program
  providerUrl: string
  /** Stops all processes. */
  close(): Promise<void>
  /**
   * Stops all processes and returns the differences with the books: none if all is well. `since` (ISO 8601): payments
   * before were filled in, and the provider does not know them.
   */
  closeAndAudit(since?: string): Promise<string[]>
}

/** The generator disconnects at its end; the server finishes the requests that it got before. */
export const CARRYING_OUT_MS = 1_500
/** Recovery finds the outcome of payments whose provider was too late to answer. */
const RECOVERY_MS = 60_000

/** `fill` fills its database, which is migrated and not in use then. `node`: further options of Node. */
export async function startInstance(
  engine: Engine,
  fill?: (place: Place) => Promise<void>,
  node: string[] = [],
): Promise<Instance> {
  const place = await newPlace(engine)
  const provider = await startProvider(place.folder)
  const providerUrl = provider.said.match[1] ?? ''
  if (fill) {
    await (await startServer(place, { SANDBOX_URL: providerUrl })).stop()
    await fill(place)
  }
  const server = await startServer(place, { SANDBOX_URL: providerUrl }, node)
  const signer = await readSigner(await readFile(privateKeyFile({ dataDir: place.folder }), 'utf8'))
  const processes = [server.pid, ...(engine === 'postgres' ? [await postmaster()] : [])]
  return {
    place,
    server,
    providerUrl,
    url: server.said.match[1] ?? '',
    signer,
    token: await signToken(signer, { scopes: ['*.read', '*.write'], expiresIn: 86_400 }, Date.now()),
    cpuMs: () => cpuMs(processes),
    residentMb: () => residentMb(server.pid),
    async loopDelay() {
      const [, p99] = await server.signal('SIGUSR2', /loop delay p99 ([\d.]+)/)
      return Number(p99)
    },
    async close() {
      await server.stop()
      await provider.stop()
      await place.remove()
    },
    async closeAndAudit(since) {
      await wait(CARRYING_OUT_MS)
      await decided(server.said.match[1] ?? '')
      await server.stop()
      const problems = await audit(place, providerUrl, since)
      await provider.stop()
      await place.remove()
      return problems
    },
  }
}

/** Waits until every operation has an outcome, by the server's own metrics, or for this long. */
async function decided(url: string): Promise<void> {
  const until = performance.now() + RECOVERY_MS
  while (performance.now() < until) {
    const text = await (await fetch(`${url}/metrics`)).text()
    const open = [...text.matchAll(/^railyard_operations_open\{[^}]*\} (\S+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    )
    if (open === 0) return
    await wait(500)
  }
}

const approved = `
select count(*)::int as count, coalesce(sum(effective_amount), 0)::float8 as amount from operations where status = 'approved' and kind in ('authorize', 'sale') and created_at >= $1`

/**
 * Compares our amounts with our operations, and our operations with the provider's books: a fast run with a
 * difference counts as 0. `since`: as of `closeAndAudit`.
 */
export async function audit({ env }: Place, providerUrl: string, since = '-infinity'): Promise<string[]> {
  const settings = readSettings({ ...env, SANDBOX_URL: providerUrl })
  // the checks of a million payments take longer than a request may
  const { run, close } = await openDatabase(settings, { withoutTimeout: true })
  try {
    const { findings, undecided } = await verify(run)
    const [ours] = await run<{ count: number; amount: number }>(approved, [since])
    const theirs = await booked(providerUrl)
    return [
      ...findings.map((finding) => `verify: ${finding.transaction_id}: ${finding.problem}`),
      ...(undecided > 0 ? [`verify: ${undecided} operations are undecided`] : []),
      ...(ours?.count !== theirs.count || ours.amount !== theirs.amount
        ? [
            `the provider booked ${theirs.count} payments of ${theirs.amount}, we ${ours?.count} of ${ours?.amount}`,
          ]
        : []),
    ]
  } finally {
    await close()
  }
}

async function booked(providerUrl: string): Promise<{ count: number; amount: number }> {
  return (await (await fetch(`${providerUrl}/books/approved`)).json()) as { count: number; amount: number }
}
