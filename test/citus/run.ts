import { setTimeout as wait } from 'node:timers/promises'
import { freshToken } from '../crash/crashes.ts'
import { startFleet } from '../processes/fleet.ts'
import { killAndCompare } from '../processes/kills.ts'
import { type Outage, playOutage } from '../processes/play-outage.ts'
import { type PostgresServer, postgresServer } from '../processes/postgres-server.ts'
import { isRefusal, probe } from '../processes/probe.ts'
import { addWorker, moveShard, shardOf } from '../support/cluster.ts'
import { proof, reportFindings, requirePostgres } from '../support/proof.ts'

// WORKERS=3 bash scripts/with-citus.sh npm run test:citus -- --rounds 8 --seconds 10 --seed 1
// Under load, in turn: the shards of the account move to another worker, its worker is killed, moves again, its
// worker is frozen, and the coordinator is killed. The third worker joins for the first move. `--from 5` begins with
// the fifth of these.

/** The limits for answers during an outage, for recovery after it, and for an answer while shards move. */
const ANSWERED_WITHIN_MS = 5_000
const NORMAL_WITHIN_MS = 5_000
/** A coordinator recovers from its log, and takes connections of Citus' own from every worker first. */
const COORDINATOR_NORMAL_WITHIN_MS = 15_000
const ACCOUNT = 'default'

const { rounds, seconds, seed, workers, from } = proof('citus', {
  rounds: 8,
  seconds: 10,
  seed: 1,
  workers: 16,
  from: 1,
})
const coordinator = requirePostgres()
const [first, second, spare] = requireThreeWorkers()
process.env['CITUS_WORKERS'] = `${first} ${second}`

/** The third one joins later. */
function requireThreeWorkers(): [string, string, string] {
  const [one, two, three] = (process.env['CITUS_WORKERS'] ?? '').split(' ')
  if (!one || !two || !three)
    throw new TypeError('it needs three workers: WORKERS=3 bash scripts/with-citus.sh')
  return [one, two, three]
}

const portOf = (url: string) => Number(new URL(url).port)

/** The nodes by their ports. */
const servers = new Map<number, { url: string; server: PostgresServer }>()
for (const url of [coordinator, first, second, spare])
  servers.set(portOf(url), { url, server: await postgresServer(url) })
const nodeAt = (port: number) => {
  const node = servers.get(port)
  if (!node) throw new Error(`no server has port ${port}`)
  return node
}
// in any case: a frozen PostgreSQL cannot end by itself
process.once('exit', () => {
  for (const { server } of servers.values()) server.thaw()
})

const findings: string[] = []
const fleet = await startFleet({ apis: 2, workers: 1 })
const database = fleet.env['DATABASE_URL'] ?? ''

const created = new Set<string>()

/** A merchant account that another worker has now: shards move. */
async function accountElsewhere(): Promise<string> {
  const { port } = await shardOf(database, ACCOUNT)
  for (let count = 1; ; count++) {
    const id = `elsewhere-${count}`
    if ((await shardOf(database, id)).port === port) continue
    if (!created.has(id)) await fleet.client.post('/merchant-accounts', { id, display_name: 'Elsewhere' })
    created.add(id)
    return id
  }
}

/** Moves the account's shards, and with them those of others, to the worker that has none. */
async function move(token: string): Promise<void> {
  const { shard, port } = await shardOf(database, ACCOUNT)
  const target = portOf(spare) === port ? first : spare
  const probing = probe(fleet.apis, token, { write: true })
  await wait(1_000)
  const begun = performance.now()
  await moveShard(database, shard, nodeAt(port).url, target)
  const took = Math.round(performance.now() - begun)
  await wait(1_000)
  await probing.stop()
  const refused = probing.answered.filter(isRefusal)
  const slowest = Math.round(Math.max(...probing.answered.map(({ ms }) => ms)))
  console.log(
    `moved in ${took} ms: ${refused.length} of ${probing.answered.length} refused, the slowest answer after ${slowest} ms`,
  )
  if (refused.length > 0)
    findings.push(`move: requests were answered ${[...new Set(refused.map(({ status }) => status))]}`)
}

const outage = async (name: 'worker killed' | 'worker frozen' | 'coordinator killed'): Promise<Outage> => {
  const { server } = nodeAt(
    name === 'coordinator killed' ? portOf(coordinator) : (await shardOf(database, ACCOUNT)).port,
  )
  return name === 'worker frozen'
    ? { name, begin: server.freeze, end: server.thaw }
    : { name, begin: server.kill, end: server.start }
}
const moves = 'shards move'
const forms = [moves, 'worker killed', moves, 'worker frozen', 'coordinator killed'] as const

try {
  const { findings: left, ...figures } = await killAndCompare(fleet, {
    seed,
    workers,
    faults: false,
    progress: (line) => console.log(`  ${line}`),
    async strike() {
      await wait(1_000)
      await addWorker(database, spare)
      for (let count = 0; count < rounds; count++) {
        const form = forms[(from - 1 + count) % forms.length] ?? moves
        const token = await freshToken(fleet.env)
        fleet.client.reach(fleet.balancer.url, token)
        if (form === moves) await move(token)
        else
          findings.push(
            ...(await playOutage({
              ...(await outage(form)),
              apis: fleet.apis,
              token,
              seconds,
              answeredWithinMs: ANSWERED_WITHIN_MS,
              normalWithinMs: form === 'coordinator killed' ? COORDINATOR_NORMAL_WITHIN_MS : NORMAL_WITHIN_MS,
              spared: form === 'coordinator killed' ? undefined : await accountElsewhere(),
            })),
          )
      }
    },
  })
  findings.push(...left)
  for (const { ended } of fleet.members) if (ended.length > 1) findings.push('a process ended')
  console.log(JSON.stringify(figures))
} catch (error) {
  await fleet.close()
  for (const { output } of await Promise.all(fleet.members.flatMap(({ ended }) => ended)))
    console.error(output.slice(-5_000))
  throw error
}
await fleet.close()
reportFindings(findings)
