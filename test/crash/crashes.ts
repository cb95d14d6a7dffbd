import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readSigner, signToken } from '../../src/accounts/api-keys/private-key.ts'
import { privateKeyFile } from '../../src/process/create-instance.ts'
import { ownDatabase } from '../support/railyard.ts'
import { seeded } from './chance.ts'
import { type Client, createClient } from './client.ts'
import { compare, type Service } from './compare.ts'
import { setFaults } from './faults.ts'
import { figuresOf, type Report } from './figures.ts'
import { createInstruments } from './instruments.ts'
import { startLoad } from './load.ts'
import { configure } from './orchestration.ts'
import { launchRailyard, launchSimulator, type Ready, type Running, underLoad } from './process.ts'
import { reviewerAt } from './reviewer.ts'

export interface CrashOptions {
  crashes: number
  /** Whether the payment service has faults meanwhile. */
  faults: boolean
  seed: number
  /** The embedded database, or a new one on the PostgreSQL of `DATABASE_URL`. */
  database: 'embedded' | 'postgres'
  progress?: (line: string) => void
}

const WORKERS = 32
const PENDING_MS = 1_500
/** The share of kills that hit a process that is still starting. */
const WHILE_STARTING = 0.1
/** The share of crashes before an instance was ever ready: in its migrations or its first keys. */
const VIRGIN = 0.1

/**
 * The life of one process, in milliseconds since 1970. `readyAt` is null if it was killed while it started.
 */
export interface Life {
  readyAt: number | null
  ready: Ready | null
  killedAt: number | null
  inFlight: number
}

/**
 * Kills the service under load, again and again, and compares its data with the clients' answers and the
 * payment service's books. Nothing acknowledged may be lost and nothing done twice.
 */
export async function crash(options: CrashOptions): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-crash-'))
  const database = options.database === 'postgres' ? await ownDatabase() : undefined
  const booksFile = join(folder, 'books.jsonl')
  const simulator = launchSimulator(booksFile, PENDING_MS)
  const client = createClient()
  try {
    const { url: sandboxUrl } = await simulator.ready
    const env = {
      RAILYARD_ENV: 'sandbox',
      DATA_DIR: join(folder, 'data'),
      // one port for all processes: the payment service sends its notifications there
      PORT: String(await freePort()),
      SANDBOX_URL: sandboxUrl,
      ...underLoad,
      ...(database && { DATABASE_URL: database.url }),
    }
    return await crashAndCompare(options, { env, sandboxUrl, booksFile, client })
  } finally {
    await client.close()
    await simulator.stop()
    await database?.drop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Place {
  env: Record<string, string> & { DATA_DIR: string }
  sandboxUrl: string
  booksFile: string
  client: Client
}

async function crashAndCompare(
  { crashes, faults, seed, progress = () => undefined }: CrashOptions,
  place: Place,
): Promise<Report> {
  const { env, sandboxUrl, booksFile, client } = place
  const chance = seeded(seed)
  const began = performance.now()
  const lives: Life[] = []
  const outputs: Promise<{ output: string }>[] = []
  let running: Running | undefined
  const begin = (): { life: Life; process: Running } => {
    const life: Life = { readyAt: null, ready: null, killedAt: null, inFlight: 0 }
    const process = launchRailyard(env)
    running = process
    lives.push(life)
    outputs.push(process.ended)
    return { life, process }
  }
  const untilReady = async ({ life, process }: { life: Life; process: Running }) => {
    life.ready = await process.ready
    life.readyAt = Date.now()
    client.reach(life.ready.url, await freshToken(env))
  }
  try {
    const virgin = Math.floor(crashes * VIRGIN)
    for (let count = 1; count <= virgin; count++) {
      const { life, process } = begin()
      await wait(chance.between(100, 1_200))
      process.kill()
      life.killedAt = Date.now()
      await process.ended
    }
    const first = begin()
    await untilReady(first)
    const reviewer = reviewerAt(await configure(client))
    const load = startLoad(client, {
      seed,
      workers: WORKERS,
      purse: await createInstruments(client),
      reviewer,
    })
    let current = first
    for (let count = virgin + 1; count <= crashes; count++) {
      await setFaults(sandboxUrl, chance, faults)
      const early = current !== first && chance.odds(WHILE_STARTING)
      if (early) await wait(chance.between(0, 700))
      else {
        if (current !== first) await untilReady(current)
        load.resume()
        await wait(chance.odds(0.15) ? chance.between(4_000, 9_000) : chance.between(30, 2_500))
      }
      current.process.kill()
      load.pause()
      Object.assign(current.life, { killedAt: Date.now(), inFlight: client.inFlight.size })
      await current.process.ended
      progress(
        `crash ${count}${early ? ' while starting' : ''}: ${current.life.inFlight} in flight, ready after ${current.life.ready?.ms} ms`,
      )
      current = begin()
    }
    await setFaults(sandboxUrl, chance, false)
    await untilReady(current)
    load.resume()
    await wait(1_000)

    const service: Service = {
      stop: async () => [await current.process.stop()],
      async start() {
        current = begin()
        await untilReady(current)
      },
    }
    const { findings, tables, books, replays } = await compare({
      client,
      load,
      reviewer,
      service,
      env,
      sandboxUrl,
      booksFile,
      progress,
    })
    const logged = (await Promise.all(outputs)).flatMap(({ output }) =>
      output.split('\n').filter((line) => line.startsWith('{')),
    )
    return figuresOf({
      lives,
      log: client.log,
      tables,
      books,
      replays,
      findings,
      logged,
      seconds: (performance.now() - began) / 1000,
    })
  } catch (error) {
    running?.kill()
    throw new Error(`the run broke off; the service said: ${(await running?.ended)?.output.slice(-2_000)}`, {
      cause: error,
    })
  } finally {
    running?.kill()
    await running?.ended
  }
}

/** A token of the instance's first key, valid for an hour. */
export async function freshToken(env: { DATA_DIR: string }, scopes = ['*.read', '*.write']): Promise<string> {
  const signer = await readSigner(await readFile(privateKeyFile({ dataDir: env.DATA_DIR }), 'utf8'))
  return signToken(signer, { scopes, expiresIn: 3_600 }, Date.now())
}

export function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
  })
  return promise
}
