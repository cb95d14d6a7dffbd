import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { freshToken } from '../crash/crashes.ts'
import { startFleet } from '../processes/fleet.ts'
import { killAndCompare } from '../processes/kills.ts'
import { type Outage, playOutage } from '../processes/play-outage.ts'
import { postgresServer } from '../processes/postgres-server.ts'
import { isRefusal, probe } from '../processes/probe.ts'
import { proof, reportFindings, requirePostgres } from '../support/proof.ts'

// WORKERS=3 bash scripts/with-citus.sh npm run test:citus -- --rounds 8 --seconds 10 --seed 1
// Under load, in turn: the shards of the account move to another worker, its worker is killed, moves again, its
// worker is frozen, and the coordinator is killed. The third worker joins for the first move.

/** The limits for answers during an outage, for recovery after it, and for an answer while shards move. */
const ANSWERED_WITHIN_MS = 5_000
const NORMAL_WITHIN_MS = 5_000
const ACCOUNT = 'default'

const { rounds, seconds, seed, workers } = proof('citus', { rounds: 8, seconds: 10, seed: 1, workers: 16 })
const coordinator = requirePostgres()
const [first, second, spare] = (process.env['CITUS_WORKERS'] ?? '').split(' ')
if (!first || !second || !spare)
  throw new TypeError('it needs three workers: WORKERS=3 bash scripts/with-citus.sh')
process.env['CITUS_WORKERS'] = `${first} ${second}`

const placeOf = (url: string) => {
  const { hostname, port } = new URL(url)
  return { hostname, port: Number(port) }
}
const servers = new Map<string, Awaited<ReturnType<typeof postgresServer>>>()
for (const url of [coordinator, first, second, spare])
  servers.set(String(placeOf(url).port), await postgresServer(url))
const serverAt = (port: number) => {
  const server = servers.get(String(port))
  if (!server) throw new Error(`no server has port ${port}`)
  return server
}
// in any case: a frozen PostgreSQL cannot end by itself
process.once('exit', () => {
  for (const { thaw } of servers.values()) thaw()
})

const findings: string[] = []
const fleet = await startFleet({ apis: 2, workers: 1 })
const query = async (statement: string, values: unknown[] = [], url = fleet.env['DATABASE_URL']) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client.query(statement, values).finally(() => client.end())
}

/** The shard of an account's payments, and the worker that has it. */
async function placement(account = ACCOUNT): Promise<{ shard: string; port: number }> {
  const { rows } = await query(
    `select shardid::text as shard, nodeport as port
       from pg_dist_shard_placement
      where shardid = get_shard_id_for_distribution_column('transactions', $1::text)`,
    [account],
  )
  return rows[0]
}

/** A merchant account that another worker has. */
async function accountElsewhere(): Promise<string> {
  const { port } = await placement()
  for (let count = 1; ; count++) {
    const id = `elsewhere-${count}`
    if ((await placement(id)).port === port) continue
    await fleet.client.post('/merchant-accounts', { id, display_name: 'Elsewhere' })
    return id
  }
}

/** Adds a worker, as docs/guides/scaling.md says it. */
async function join(url: string): Promise<void> {
  const name = new URL(fleet.env['DATABASE_URL'] ?? '').pathname.slice(1)
  await query(`create database ${name}`, [], url)
  const own = new URL(url)
  own.pathname = `/${name}`
  await query('create extension citus', [], own.href)
  const { hostname, port } = placeOf(url)
  await query('select citus_add_node($1, $2)', [hostname, port])
  await query('select replicate_reference_tables()')
}

/** Moves the account's shards, and with them those of others, to the worker that has none. */
async function move(token: string): Promise<void> {
  const { shard, port } = await placement()
  const target = [spare ?? '', first ?? ''].map(placeOf).find((place) => place.port !== port)
  const probing = probe(fleet.apis, token, { write: true })
  await wait(1_000)
  const begun = performance.now()
  await query(`select citus_move_shard_placement($1, '127.0.0.1', $2, $3, $4)`, [
    shard,
    port,
    target?.hostname,
    target?.port,
  ])
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
  const server = serverAt(
    name === 'coordinator killed' ? placeOf(coordinator).port : (await placement()).port,
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
      const spared = await accountElsewhere()
      await join(spare)
      for (let count = 0; count < rounds; count++) {
        const form = forms[count % forms.length] ?? moves
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
              normalWithinMs: NORMAL_WITHIN_MS,
              spared: form === 'coordinator killed' ? undefined : spared,
            })),
          )
      }
    },
  })
  findings.push(...left)
  for (const { ended } of fleet.members) if (ended.length > 1) findings.push('a process ended')
  console.log(JSON.stringify(figures))
} finally {
  await fleet.close()
}
reportFindings(findings)
