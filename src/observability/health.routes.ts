import { setTimeout as wait } from 'node:timers/promises'
import type { Routes } from '../api/routes.ts'
import { newestMigration } from '../database/migrate.ts'
import { encryptionCheckOf } from '../vault/keys/encryption-check.ts'
import { makeKeyHealthCheck } from '../vault/keys/key-check.ts'
import type { World } from '../world.ts'

type State = 'ok' | 'failed'
type Checks = Record<string, State>

const CHECK_TIMEOUT_MS = 2_000

/**
 * For load balancers: alive as long as it answers, ready as long as it can take a payment. Both say no more than which part is to blame. However many
 * ask, one look at the parts is under way at a time. `simulatorUrl` is there in the sandbox only.
 */
export const healthRoutes = (simulatorUrl: string | undefined): Routes => {
  return (app, world) => {
    const config = { scopes: 'public' as const }
    const opensEveryKey = makeKeyHealthCheck(world)
    let looking: Promise<Checks> | undefined
    const look = () => {
      looking ??= readiness(world, simulatorUrl, opensEveryKey).finally(() => {
        looking = undefined
      })
      return looking
    }
    app.get('/health/live', { config, schema: { hide: true } }, async () => ({ status: 'ok' }))
    app.get('/health/ready', { config, schema: { hide: true } }, async (_request, reply) => {
      if (world.stopping) return reply.code(503).send({ status: 'stopping', checks: {} })
      const checks = await look()
      const isReady = Object.values(checks).every((state) => state === 'ok')
      return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'unavailable', checks })
    })
  }
}

async function readiness(world: World, simulatorUrl: string | undefined, opensEveryKey: () => Promise<boolean>): Promise<Checks> {
  const [known, providers] = await Promise.all([
    world.isDatabaseUnavailable() ? undefined : withinTimeout(checkDatabase(world, opensEveryKey)),
    simulatorUrl === undefined ? undefined : withinTimeout(isSimulatorAnswering(world, simulatorUrl)),
  ])
  return {
    database: known ? 'ok' : 'failed',
    ...(known && { migrations: known.migrated ? 'ok' : 'failed', encryption: known.encrypted ? 'ok' : 'failed' }),
    clock: isClockRight(world) ? 'ok' : 'failed',
    ...(simulatorUrl !== undefined && { sandbox: providers ? 'ok' : 'failed' }),
  } satisfies Checks
}

/** Work goes by the database server's time. One of the two clocks is wrong, and the machine's is what tokens, certificates and logs go by elsewhere. */
const isClockRight = ({ settings, clockSkew }: World): boolean => settings.clockSkewLimit === 0 || Math.abs(clockSkew()) <= settings.clockSkewLimit

const selectDatabaseMarks = `
select (select max(name) from kysely_migration) as migration,
       (select mac from encryption_check) as mac,
       (select coalesce(max(generation), 1) from root_secret where used_at is not null) as root_secret`

/** Undefined: it failed, or took too long. */
const withinTimeout = <T>(work: Promise<T>): Promise<T | undefined> =>
  Promise.race([work.catch(() => undefined), wait(CHECK_TIMEOUT_MS, undefined, { ref: false })])

/** Somebody may have put another database in the place of ours, an older one or one of another key: nothing must be written to it. */
async function checkDatabase(
  { run, cipher, rootSecrets }: World,
  opensEveryKey: () => Promise<boolean>,
): Promise<{ migrated: boolean; encrypted: boolean }> {
  const [[row], newest] = await Promise.all([
    run<{ migration: string | null; mac: Buffer | null; root_secret: number }>(selectDatabaseMarks, []),
    newestMigration(),
  ])
  return {
    migrated: row?.migration != null && row.migration >= newest,
    encrypted:
      row?.mac?.equals(encryptionCheckOf(cipher)) === true && rootSecrets.known.has(row.root_secret) && (await opensEveryKey().catch(() => false)),
  }
}

async function isSimulatorAnswering({ http }: World, simulatorUrl: string): Promise<boolean> {
  const answer = await http.request({ method: 'GET', url: `${simulatorUrl}/faults` })
  return !answer.lost
}
