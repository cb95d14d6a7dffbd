import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { readOrderDeliveries } from '../agentic-commerce/orders/order.store.ts'
import type { App } from '../api/app.ts'
import { LISTENING_SOCKETS, listenWithSockets } from '../api/server/listening-sockets.ts'
import { readFiles } from '../archive/archived-file.store.ts'
import { checkArchive } from '../archive/check-folder.ts'
import { type Background, startBackground } from '../background/background.ts'
import { startRetention } from '../background/retention.ts'
import { createAccountClock } from '../base/account-clock.ts'
import type { Clock } from '../base/clock.ts'
import { timeOrderedIds } from '../base/ids.ts'
import { createMetrics } from '../base/metrics.ts'
import { trackPendingRequests } from '../base/pending-requests.ts'
import {
  antiFraudConnectors,
  connectors,
  giftCardConnectors,
  schemeServices,
} from '../connectors/registry.ts'
import { providerHttp } from '../connectors/wire/http.ts'
import { createCache } from '../database/cache.ts'
import type { Database } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { takeLock } from '../database/postgres/advisory-lock.ts'
import { noReplicas, openReadReplicas } from '../database/replicas/read-replicas.ts'
import { startTracing } from '../observability/load-tracing.ts'
import { createLog } from '../observability/log.ts'
import { tracedMerchantHttp } from '../observability/traced-merchant-http.ts'
import { merchantHttp } from '../outgoing/merchant-http.ts'
import { sandboxPagesUrl } from '../page/sandbox-pages.ts'
import type { Simulator } from '../sandbox/simulator.ts'
import { InvalidSetting, type Settings } from '../settings.ts'
import { eventTargets } from '../transactions/views/event-targets.ts'
import { CardTesting, type GuessLimits } from '../vault/cards/card-testing.ts'
import { startProcessReports } from '../vault/keys/service-processes.ts'
import { openVault } from '../vault/open-vault.ts'
import type { World } from '../world.ts'
import { checkEnvironment } from './check-environment.ts'
import { createInstance } from './create-instance.ts'
import { loadConnectors } from './load-connectors.ts'
import { RUN_SANDBOX_SEPARATELY } from './process-role.ts'
import { buildServer } from './server.ts'
import { startOpeningDatabase } from './start-opening-database.ts'

/** A running instance. */
export interface Railyard extends Background {
  world: World
  /** Where the API listens. */
  url: string
  /** Where the sandbox's simulated providers and their books are; undefined in production. */
  simulatorUrl: string | undefined
  /** True if this start created the instance. */
  created: boolean
  /** What it was started with, for a copy of it (`fork.ts`). */
  parts: OpenWorld
  /**
   * Reports that it is not ready for `STOP_DELAY_MS`, then accepts no more connections, finishes requests,
   * also those whose clients have disconnected, and background work, and closes the database.
   */
  close(): Promise<void>
}

export interface RailyardOptions {
  clock?: Clock
  log?: Logger
  /** Tests: keep the embedded database and the simulator's books in memory. */
  inMemory?: boolean
  /**
   * The result of `startOpeningDatabase` for these settings, if it was called before. The database is closed
   * with the instance, and by a failed start.
   */
  database?: () => Promise<Database>
  /**
   * Milliseconds that a start which would be the first to use an encryption key waits for the processes that
   * do not know it: they may have died.
   */
  keyPatience?: number
}

/**
 * In the sandbox the PIN selects the result for a gift card, so that tests send many PINs with one number.
 */
const maxGuesses = ({
  cardNumbersAlike,
  giftCardPins,
  giftCardNumbersPerAddress,
  environment,
}: Settings): GuessLimits => ({
  alike: cardNumbersAlike,
  pins: giftCardPins ?? (environment === 'production' ? 10 : 0),
  giftCards: giftCardNumbersPerAddress,
})

/** A world without a server and without background work. */
export interface OpenWorld {
  world: World
  /** Where the sandbox's simulated providers and their books are; undefined in production. */
  simulatorUrl: string | undefined
  /** The simulated providers, if they are in this process. */
  simulator: Simulator | undefined
  database: Database
  /** `close` calls these, the last one first. */
  closers: (() => Promise<unknown>)[]
  close(): Promise<void>
}

/** Opens the database, the simulators (sandbox only) and the vault. A failure closes what was opened. */
export async function openWorld(settings: Settings, options: RailyardOptions = {}): Promise<OpenWorld> {
  const { log = createLog(settings.logLevel), inMemory = false } = options
  const closers: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const closeOne of closers.toReversed()) await closeOne()
  }
  // with PORT=0 the port is known only once the server listens, which is before the first payment
  const address = { publicUrl: settings.publicUrl ?? `http://${settings.host}:${settings.port}` }
  try {
    const database = await (options.database ?? (await startOpeningDatabase(settings, { inMemory })))()
    closers.push(database.close)
    // all processes of an instance have one time, whatever their machines' clocks show
    const machineClock = options.clock ?? database.time
    const clock = createAccountClock(machineClock)
    const metrics = createMetrics()
    const tracing = await startTracing(settings)
    closers.push(tracing.close)
    await migrate(database, (line) => log.warn(line))
    await checkEnvironment(database.db, settings)
    const simulator =
      settings.environment === 'sandbox' && !settings.sandboxUrl ? await simulate(machineClock) : undefined
    const simulatorUrl =
      settings.environment === 'sandbox' ? (settings.sandboxUrl ?? simulator?.url) : undefined
    const loaded = await loadConnectors(settings, machineClock)
    const http = providerHttp(settings.providerTimeout, simulatorUrl)
    const receivers = tracedMerchantHttp(merchantHttp(settings), tracing)
    closers.push(http.close, receivers.close)
    const { db, run, changes } = database
    const replicas = settings.databaseReplicaUrls
      ? openReadReplicas({
          urls: settings.databaseReplicaUrls,
          maxConnections: settings.databasePool,
          primary: database,
          counted: metrics.replicaRead,
          changed: ({ name, problem }) =>
            problem === undefined
              ? log.info({ replica: name }, 'the read replica is used')
              : log.warn({ replica: name, problem }, 'the read replica is not used'),
        })
      : noReplicas
    closers.push(replicas.close)
    const vault = await openVault(db, settings)
    closers.push(vault.masterKeys.close)
    const world: World = Object.assign(address, {
      settings,
      clock,
      machineClock,
      ids: timeOrderedIds(machineClock),
      cipher: vault.cipher,
      rootSecrets: vault.rootSecrets,
      keys: vault.masterKeys.keys,
      http,
      merchantHttp: receivers,
      connectors: connectors({
        sandboxUrl: simulatorUrl,
        clock: machineClock,
        loaded,
        providerUrls: settings.providerUrls,
      }),
      giftCardConnectors: giftCardConnectors({ sandboxUrl: simulatorUrl, clock: machineClock }),
      antiFraudConnectors: antiFraudConnectors({ sandboxUrl: simulatorUrl }),
      schemes: schemeServices({
        sandboxUrl: simulatorUrl,
        threeDSecureServer: { url: settings.threeDSecureServerUrl, token: settings.threeDSecureServerToken },
        clock: machineClock,
      }),
      packedJson: { isReadByAll: false },
      eventTargets,
      orderDeliveries: readOrderDeliveries,
      db,
      run,
      replicas,
      changes,
      cache: createCache(changes),
      callCounts: new Map(),
      log,
      metrics,
      cardTesting: new CardTesting({ clock: machineClock, log, metrics, most: maxGuesses(settings) }),
      tracing,
      pendingRequests: trackPendingRequests(),
      partitions: database.partitions,
      connections: database.connections,
      isDatabaseUnavailable: database.isUnavailable,
      clockSkew: database.time.skew,
      stopping: false,
    })
    return { world, simulatorUrl, simulator, database, closers, close }
  } catch (error) {
    await close()
    throw error
  }

  /**
   * A second simulator for one database is refused: it would have other books, and recovery would ask the
   * wrong one.
   */
  async function simulate(machineClock: Clock): Promise<Simulator> {
    if (settings.databaseUrl) {
      const lock = await takeLock(settings.databaseUrl, 'railyard sandbox', () => void stopSimulator())
      if (!lock) throw new InvalidSetting(SANDBOX_ELSEWHERE)
      closers.push(lock.release)
    }
    // loaded only by a process that has the simulator inside
    const { startSimulator } = await import('../sandbox/simulator.ts')
    const simulator = await startSimulator({
      clock: machineClock,
      pagesUrl: () => sandboxPagesUrl(address.publicUrl),
      remedy:
        'if that is railyard sandbox, set SANDBOX_URL to its address, such as http://127.0.0.1:8090; otherwise stop it first',
      ...(!inMemory && { booksFile: sandboxBooks(settings) }),
    })
    closers.push(simulator.close)
    return simulator

    // after losing the lock: no answer is better than an answer from the wrong books
    async function stopSimulator() {
      log.fatal(SANDBOX_ELSEWHERE)
      await simulator.close()
    }
  }
}

/**
 * Starts the whole service: database, simulators (sandbox only), API and background work. A failure closes
 * what was opened.
 */
export async function startRailyard(settings: Settings, options: RailyardOptions = {}): Promise<Railyard> {
  const parts = await openWorld(settings, options)
  try {
    // once there are files, payments and webhooks go on without them (`warnings.ts`)
    if (settings.processRole !== 'api' && (await readFiles(parts.world.run)).length === 0)
      await checkArchive(parts.world.run, settings)
    const created = await createInstance(parts.world)
    // before the first request can seal anything: a rotation of keys must know this process
    parts.closers.push(await startProcessReports(parts.world, options.keyPatience))
    return runInstance(parts, await listen(parts), created)
  } catch (error) {
    await parts.close()
    throw error
  }
}

/** A server that answers requests. */
export interface Listening {
  url: string
  app: App
  close(): Promise<void>
}

/** Starts the server of the API. `sockets`: how many listen at its port. */
export async function listen(
  { world, simulatorUrl }: OpenWorld,
  sockets = LISTENING_SOCKETS,
): Promise<Listening> {
  const { port, host, publicUrl } = world.settings
  const app = await buildServer(world, simulatorUrl)
  const { url, close } = await listenWithSockets(app, { port, host, sockets }).catch((error) =>
    Promise.reject(cannotListen(error, world.settings)),
  )
  if (!publicUrl) world.publicUrl = url
  return { url, app, close }
}

/** Starts the background work of an instance whose server listens. */
export function runInstance(parts: OpenWorld, server: Listening, created: boolean): Railyard {
  const { world, simulatorUrl, closers } = parts
  const background = startBackground(world, server.app)
  const stopRetention = startRetention(world)
  // side by side: a long round of one task must not keep the others from giving back what they have claimed
  const stopTasks = () =>
    Promise.all([stopRetention(), ...Object.values(background).map(({ stop }) => stop())])
  closers.push(stopTasks, server.close)
  return { world, url: server.url, ...background, created, simulatorUrl, parts, close }

  /** Gives load balancers time to notice before connections are refused. */
  async function close(): Promise<void> {
    world.stopping = true
    await wait(world.settings.stopDelay)
    await parts.close()
  }
}

const SANDBOX_ELSEWHERE = `another process runs the sandbox's providers for this database; ${RUN_SANDBOX_SEPARATELY}`

/** The default file of the sandbox's books. */
export const sandboxBooks = ({ dataDir }: Pick<Settings, 'dataDir'>) => join(dataDir, 'sandbox-books.jsonl')

const listenProblems: Record<string, (settings: Settings) => string> = {
  EADDRINUSE: ({ port }) => `PORT: ${port} is in use; choose another, e.g. PORT=${port + 1} npm start`,
  EACCES: ({ port }) => `PORT: ${port} may not be used by this user; choose one above 1023`,
  EADDRNOTAVAIL: ({ host }) => `HOST: ${host} is no address of this machine`,
  ENOTFOUND: ({ host }) => `HOST: ${host} cannot be resolved`,
  EAI_AGAIN: ({ host }) => `HOST: ${host} cannot be resolved`,
}

function cannotListen(error: NodeJS.ErrnoException, settings: Settings): Error {
  const problem = listenProblems[error.code ?? '']
  return problem ? new InvalidSetting(problem(settings)) : error
}
