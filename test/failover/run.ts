import { setTimeout as wait } from 'node:timers/promises'
import { freshToken } from '../crash/crashes.ts'
import { startFleet } from '../processes/fleet.ts'
import { killAndCompare } from '../processes/kills.ts'
import { isRefusal, type Probe, probe } from '../processes/probe.ts'
import { proof, reportFindings } from '../support/proof.ts'
import { startCluster } from './cluster.ts'
import { failures, type NodeFailure } from './node.ts'

// npm run test:failover -- --rounds 100 --seed 1; --hosts: no HAProxy, all hosts in DATABASE_URL; --only frozen.
// The primary of a Patroni cluster is killed, frozen, isolated and partitioned under load, round by round. A
// round takes about a minute.

/** The limits for service to be normal again, and for an answer meanwhile. */
const NORMAL_WITHIN_MS = 30_000
const ANSWERED_WITHIN_MS = 5_000
/** So long without a refusal, and so many rows written since, service is normal. */
const CALM_MS = 2_000
const WRITES = 5

const { rounds, seed, workers, hosts, only } = proof('failover', {
  rounds: 100,
  seed: 1,
  workers: 8,
  hosts: false,
  only: ['all', ...failures],
})
const kinds = failures.filter((each) => only === 'all' || each === only)

interface Round {
  how: NodeFailure
  normalMs: number
}

const findings: string[] = []
const played: Round[] = []
const cluster = await startCluster()
try {
  await cluster.untilWhole()
  process.env['DATABASE_URL'] = cluster.url
  const fleet = await startFleet({
    apis: 2,
    workers: 1,
    way: async (database) =>
      hosts
        ? `postgres://postgres@${cluster.hosts}${new URL(database).pathname}?target_session_attrs=read-write`
        : database,
  })
  try {
    const { findings: left, ...figures } = await killAndCompare(fleet, {
      seed,
      workers,
      faults: false,
      progress: (line) => console.log(`  ${line}`),
      async strike() {
        await wait(2_000)
        for (let count = 1; count <= rounds; count++) {
          const how = kinds[count % kinds.length]
          if (!how) continue
          // a token is good for an hour
          const token = await freshToken(fleet.env)
          fleet.client.reach(fleet.balancer.url, token)
          console.log(`${count} ${await playRound(how, fleet.apis, token)}`)
          await cluster.untilWhole()
        }
      },
    })
    findings.push(...left)
    for (const { ended } of fleet.members) if (ended.length > 1) findings.push('a process ended')
    console.log(JSON.stringify({ ...figures, ...summaryOf(played) }))
  } finally {
    // what was found is reported in any case
    await fleet.close().catch((error) => console.log(`  the fleet was not closed: ${error}`))
  }
} finally {
  await cluster.close()
}
reportFindings(findings)

/** One failure of the primary, until the service is normal, and its return. Answers a line about it. */
async function playRound(how: NodeFailure, apis: readonly string[], token: string): Promise<string> {
  const primary = await cluster.primary()
  if (!primary) throw new Error('there is no primary')
  const probing = probe(apis, token, { write: true })
  await wait(1_000)
  const struck = performance.now()
  primary.fail(how)
  const normalAt = await untilNormal(probing.answered, struck)
  // what was frozen or cut off comes back, and must do no harm
  primary.mend()
  const mended = performance.now()
  await wait(5_000)
  await probing.stop()

  const refused = probing.answered.filter((each) => isRefusal(each) && each.at > struck)
  const late = refused.filter(({ at }) => at > mended)
  const slowest = Math.round(Math.max(...refused.map(({ ms }) => ms), 0))
  const odd = [...new Set(refused.filter(({ status }) => status !== 503).map(({ status }) => status))]
  const normalMs = Math.round(normalAt - struck)
  played.push({ how, normalMs })
  if (refused.length === 0) findings.push(`${how}: no request noticed it`)
  if (odd.length > 0) findings.push(`${how}: requests were answered ${odd}`)
  if (slowest > ANSWERED_WITHIN_MS) findings.push(`${how}: an answer took ${slowest} ms`)
  if (normalMs > NORMAL_WITHIN_MS) findings.push(`${how}: normal after ${normalMs} ms`)
  return `${how} ${primary.name}: ${refused.length} of ${probing.answered.length} refused, the slowest after ${slowest} ms; normal after ${normalMs} ms; ${late.length} refused after its return`
}

/** The end of the last refusal, once there was none for a while and writes succeed. */
async function untilNormal(answered: readonly Probe[], struck: number): Promise<number> {
  const lastRefusal = () =>
    Math.max(...answered.map((each) => (isRefusal(each) && each.at > struck ? each.at + each.ms : struck)))
  const isNormal = () => {
    const since = lastRefusal()
    const written = answered.filter(({ status, at }) => status === 201 && at > since)
    return since > struck && performance.now() - since > CALM_MS && written.length >= WRITES
  }
  const until = performance.now() + 3 * NORMAL_WITHIN_MS
  while (performance.now() < until && !isNormal()) await wait(50)
  return isNormal() ? lastRefusal() : until
}

function summaryOf(all: readonly Round[]) {
  const times = all.map(({ normalMs }) => normalMs).sort((one, other) => one - other)
  return {
    rounds: Object.fromEntries(failures.map((how) => [how, all.filter((round) => round.how === how).length])),
    normalMs: { p50: times[Math.floor(times.length / 2)], max: times.at(-1) },
  }
}
