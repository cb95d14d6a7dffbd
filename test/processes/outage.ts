import { setTimeout as wait } from 'node:timers/promises'
import { freshToken } from '../crash/crashes.ts'
import { type Failure, startProxy } from '../postgres/proxy.ts'
import { proof, reportFindings, requirePostgres } from '../support/proof.ts'
import { startFleet } from './fleet.ts'
import { killAndCompare } from './kills.ts'
import { postgresServer } from './postgres-server.ts'
import { isRefusal, probe } from './probe.ts'

// bash scripts/with-postgres.sh npm run test:outage -- --outages 4 --seconds 10 --seed 1 The database goes
// away under load in four ways, one after the other: killed, frozen, behind a way that swallows packets,
// behind one that resets connections.

/** The limits for answers during an outage and for recovery after it. */
const ANSWERED_WITHIN_MS = 3_000
const NORMAL_WITHIN_MS = 2_000

const { outages, seconds, seed } = proof('outage', { outages: 4, seconds: 10, seed: 1 })
const url = requirePostgres()

const server = await postgresServer(url)
// in any case: a frozen PostgreSQL cannot end by itself
process.once('exit', server.thaw)
const { hostname, port } = new URL(url)
const proxy = await startProxy(hostname, Number(port))

interface Outage {
  name: string
  begin(): Promise<void> | void
  end(): Promise<void> | void
}
const broken = (failure: Failure): Outage => ({
  name: failure,
  begin: () => proxy.fail(failure),
  end: () => proxy.mend(),
})
const forms: Outage[] = [
  { name: 'killed', begin: server.kill, end: server.start },
  { name: 'frozen', begin: server.freeze, end: server.thaw },
  broken('black hole'),
  broken('reset'),
]

let findings: string[] = []
const fleet = await startFleet({
  apis: 2,
  workers: 1,
  async way(database) {
    const through = new URL(database)
    through.port = String(proxy.port)
    return through.href
  },
})
try {
  const token = await freshToken(fleet.env)
  const compared = await killAndCompare(fleet, {
    seed,
    faults: false,
    progress: (line) => console.log(`  ${line}`),
    async strike() {
      await wait(1_000)
      for (let count = 0; count < outages; count++) {
        const form = forms[count % forms.length]
        if (!form) continue
        const probing = probe(fleet.apis, token)
        await wait(500)
        await form.begin()
        await wait(seconds * 1_000).finally(form.end)
        const back = performance.now()
        await wait(NORMAL_WITHIN_MS + 1_000)
        await probing.stop()
        const probes = probing.answered
        const refused = probes.filter(isRefusal)
        const slowest = Math.max(...refused.map(({ ms }) => ms), 0)
        const lastRefused = Math.max(...refused.map(({ at, ms }) => at + ms - back), 0)
        console.log(
          `${form.name}: ${refused.length} of ${probes.length} refused, the slowest after ${Math.round(slowest)} ms; normal ${Math.round(lastRefused)} ms after its return`,
        )
        const odd = refused.filter(({ status }) => status !== 503)
        if (odd.length > 0)
          findings.push(
            `${form.name}: ${odd.length} were answered ${[...new Set(odd.map(({ status }) => status))]}`,
          )
        if (slowest > ANSWERED_WITHIN_MS)
          findings.push(`${form.name}: an answer took ${Math.round(slowest)} ms`)
        if (lastRefused > NORMAL_WITHIN_MS)
          findings.push(`${form.name}: refused ${Math.round(lastRefused)} ms after its return`)
        if (refused.length === 0) findings.push(`${form.name}: no request noticed it`)
      }
    },
  })
  const { findings: left, ...figures } = compared
  findings = [...findings, ...left]
  for (const { ended } of fleet.members) if (ended.length > 1) findings.push('a process ended')
  console.log(JSON.stringify(figures))
} finally {
  await fleet.close()
  await proxy.close()
}
reportFindings(findings)
