import { join } from 'node:path'
import pino, { type Logger } from 'pino'
import { createCipher } from './cipher.ts'
import { providerHttp } from './connectors/http.ts'
import { connectors } from './connectors/registry.ts'
import { createCache } from './database/cache.ts'
import { type Database, migrate, openDatabase } from './database/database.ts'
import { createInstance, masterKey } from './instance.ts'
import { type Recovery, startRecovery } from './operations/recovery.ts'
import { forgetOldKeys } from './operations/retention.ts'
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

/** Starts the whole service: database, simulators (sandbox only), API and recovery. */
export async function startRailyard(settings: Settings, options: RailyardOptions = {}): Promise<Railyard> {
  const { clock = systemClock, log = pino({ level: settings.logLevel }), inMemory = false } = options
  const database = await openDatabase(settings, { inMemory })
  try {
    return await startOn(database, settings, { clock, log, inMemory })
  } catch (error) {
    await database.close()
    throw error
  }
}

async function startOn(database: Database, settings: Settings, { clock, log, inMemory }: Required<RailyardOptions>): Promise<Railyard> {
  await migrate(database)
  const books = inMemory ? {} : { booksFile: join(settings.dataDir, 'sandbox-books.jsonl') }
  const sandboxed = settings.environment === 'sandbox'
  const simulator = sandboxed && !settings.sandboxUrl ? await startSimulator({ clock, ...books }) : undefined
  const simulatorUrl = sandboxed ? (settings.sandboxUrl ?? simulator?.url) : undefined
  const http = providerHttp(settings.providerTimeout)
  const world: World = {
    settings,
    clock,
    ids: timeOrderedIds(clock),
    cipher: createCipher(await masterKey(settings)),
    http,
    connectors: connectors({ sandboxUrl: simulatorUrl }),
    db: database.db,
    run: database.run,
    changes: database.changes,
    cache: createCache(database.changes),
    log,
    publicUrl: settings.publicUrl ?? `http://${settings.host === '0.0.0.0' ? '127.0.0.1' : settings.host}:${settings.port}`,
  }
  const created = await createInstance(world)
  const app = await buildServer(world, simulatorUrl)
  const url = await app.listen({ port: settings.port, host: settings.host })
  // known only now where the port was left to the system; nothing has been paid yet
  if (!settings.publicUrl) world.publicUrl = url
  const recovery = startRecovery(world, (operation) => examine(world, operation))
  const retention = setInterval(() => void forgetOldKeys(world), DAY_MS).unref()
  return {
    world,
    url,
    recovery,
    created,
    async close() {
      clearInterval(retention)
      await app.close()
      await recovery.stop()
      await simulator?.close()
      await http.close()
      await database.close()
    },
  }
}
