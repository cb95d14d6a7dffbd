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
 * For load balancers: a process is live while it answers, and ready while it can take a payment. The answers
 * say only which part has failed. Requests at the same time share one check. `simulatorUrl` is undefined in
 * production.
 */
export const healthRoutes = (simulatorUrl: string | undefined): Routes => {
  return (app, world) => {
    const config = { scopes: 'public' as const }
    const opensEveryKey = makeKeyHealthCheck(world)
    let checking: Promise<Checks> | undefined
    const check = () => {
      checking ??= readiness(world, simulatorUrl, opensEveryKey).finally(() => {
        checking = undefined
      })
      return checking
    }
    app.get('/health/live', { config, schema: { hide: true } }, async () => ({ status: 'ok' }))
    app.get('/health/ready', { config, schema: { hide: true } }, async (_request, reply) => {
      const replicas = replicaHealth(world)
      if (world.stopping) return reply.code(503).send({ status: 'stopping', checks: {} })
      const checks = await check()
      const isReady = Object.values(checks).every((state) => state === 'ok')
      return reply
        .code(isReady ? 200 : 503)
        .send({ status: isReady ? 'ok' : 'unavailable', checks, ...replicas })
    })
  }
}

/**
 * The read replicas in the order of the setting, without their names: the answer is public. A process without
 * one is as ready as before.
 */
function replicaHealth({ replicas }: World) {
  const states = replicas.states()
  return states.length === 0
    ? {}
    : {
        replicas: states.map(({ problem, seconds, bytes }) => ({
          used: problem === undefined,
          lag_seconds: seconds,
          lag_bytes: bytes,
        })),
      }
}

async function readiness(
  world: World,
  simulatorUrl: string | undefined,
  opensEveryKey: () => Promise<boolean>,
): Promise<Checks> {
  const [database, isSimulatorReady] = await Promise.all([
    world.isDatabaseUnavailable() ? undefined : withinTimeout(checkDatabase(world, opensEveryKey)),
    simulatorUrl === undefined ? undefined : withinTimeout(isSimulatorAnswering(world, simulatorUrl)),
  ])
  return {
    database: database ? 'ok' : 'failed',
    ...(database && {
      migrations: database.migrated ? 'ok' : 'failed',
      encryption: database.encrypted ? 'ok' : 'failed',
    }),
    clock: isClockRight(world) ? 'ok' : 'failed',
    ...(simulatorUrl !== undefined && { sandbox: isSimulatorReady ? 'ok' : 'failed' }),
  } satisfies Checks
}

/**
 * Railyard uses the database server's time. If the clocks differ, one of them is wrong, and other systems
 * compare tokens, certificates and logs with the machine's.
 */
const isClockRight = ({ settings, clockSkew }: World): boolean =>
  settings.clockSkewLimit === 0 || Math.abs(clockSkew()) <= settings.clockSkewLimit

const selectDatabaseMarks = `
select (select max(name) from kysely_migration) as migration,
       (select mac from encryption_check) as mac,
       (select coalesce(max(generation), 1) from root_secret where used_at is not null) as root_secret`

/** Undefined: `work` failed, or took too long. */
const withinTimeout = <T>(work: Promise<T>): Promise<T | undefined> =>
  Promise.race([work.catch(() => undefined), wait(CHECK_TIMEOUT_MS, undefined, { ref: false })])

/**
 * An operator may have replaced the database by an older one or by one of another key: nothing must be
 * written to it.
 */
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
      row?.mac?.equals(encryptionCheckOf(cipher)) === true &&
      rootSecrets.known.has(row.root_secret) &&
      (await opensEveryKey().catch(() => false)),
  }
}

/** Whether the sandbox's providers answer at the URL, and not another server, such as a Railyard on a wrong port. */
export async function isSimulatorAnswering(
  { http }: Pick<World, 'http'>,
  simulatorUrl: string,
): Promise<boolean> {
  const answer = await http.request({ method: 'GET', url: `${simulatorUrl}/faults` })
  return !answer.lost && answer.status === 200
}
