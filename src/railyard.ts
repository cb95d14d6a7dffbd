import { join } from 'node:path'
import pino, { type Logger } from 'pino'
import { createCipher } from './cipher.ts'
import { providerHttp } from './connectors/http.ts'
import { connectors } from './connectors/registry.ts'
import { createCache } from './database/cache.ts'
import { migrate, openDatabase } from './database/database.ts'
import { createInstance, masterKey } from './instance.ts'
import { type Recovery, startRecovery } from './operations/recovery.ts'
import { forgetOldKeys } from './operations/retention.ts'
import { pagesUrl } from './sandbox/page.routes.ts'
import { startSimulator } from './sandbox/simulator.ts'
import { buildServer } from './server.ts'
import type { Settings } from './settings.ts'
import { examine } from './transactions/examine.ts'
import { type Clock, systemClock, timeOrderedIds, type World } from './world.ts'

/** A running instance. */
export interface Railyard {
  world: World
  /** Where the API listens. */
  url: string
  recovery: Recovery
  /** Where the sandbox's providers and their books are; undefined in production. */
  simulatorUrl: string | undefined
  /** True when this start made the instance. */
  created: boolean
  /** Stops accepting, finishes what is under way, and closes the database. */
  close(): Promise<void>
}

export interface RailyardOptions {
  clock?: Clock
  log?: Logger
  /** Tests: keep the embedded database and the simulator's books in memory. */
  inMemory?: boolean
}

const DAY_MS = 86_400_000

/** Starts the whole service: database, simulators (sandbox only), API and recovery. What a failed start had opened is closed again. */
export async function startRailyard(settings: Settings, options: RailyardOptions = {}): Promise<Railyard> {
  const { clock = systemClock, log = pino({ level: settings.logLevel }), inMemory = false } = options
  const opened: (() => Promise<unknown>)[] = []
  const closeAll = async () => {
    for (const close of opened.toReversed()) await close()
  }
  try {
    const database = await openDatabase(settings, { inMemory })
    opened.push(database.close)
    await migrate(database)
    // the port is known only after listening where it was left to the system; nothing has been paid before that
    let publicUrl = settings.publicUrl ?? `http://${settings.host}:${settings.port}`
    const simulatorUrl = settings.environment === 'sandbox' ? (settings.sandboxUrl ?? (await simulate(() => pagesUrl(publicUrl)))) : undefined
    const http = providerHttp(settings.providerTimeout)
    opened.push(http.close)
    const { db, run, changes } = database
    const world: World = {
      settings,
      clock,
      ids: timeOrderedIds(clock),
      cipher: createCipher(await masterKey(settings)),
      http,
      connectors: connectors({ sandboxUrl: simulatorUrl, clock }),
      db,
      run,
      changes,
      cache: createCache(changes),
      log,
      publicUrl,
    }
    const created = await createInstance(world)
    const app = await buildServer(world, simulatorUrl)
    const url = await app.listen({ port: settings.port, host: settings.host })
    if (!settings.publicUrl) {
      publicUrl = url
      world.publicUrl = url
    }
    const recovery = startRecovery(world, (operation) => examine(world, operation))
    const retention = setInterval(() => void forgetOldKeys(world), DAY_MS).unref()
    opened.push(
      recovery.stop,
      () => app.close(),
      async () => clearInterval(retention),
    )
    return { world, url, recovery, created, simulatorUrl, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }

  async function simulate(pagesUrl: () => string): Promise<string> {
    const simulator = await startSimulator({ clock, pagesUrl, ...(!inMemory && { booksFile: join(settings.dataDir, 'sandbox-books.jsonl') }) })
    opened.push(simulator.close)
    return simulator.url
  }
}
