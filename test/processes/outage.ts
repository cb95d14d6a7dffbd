import { setTimeout as wait } from 'node:timers/promises'
import { freshToken } from '../crash/crashes.ts'
import { type Failure, startProxy } from '../postgres/proxy.ts'
import { proof, reportFindings, requirePostgres } from '../support/proof.ts'
import { startFleet } from './fleet.ts'
import { killAndCompare } from './kills.ts'
import { type Outage, playOutage } from './play-outage.ts'
import { postgresServer } from './postgres-server.ts'

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

const findings: string[] = []
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
        findings.push(
          ...(await playOutage({
            ...form,
            apis: fleet.apis,
            token,
            seconds,
            answeredWithinMs: ANSWERED_WITHIN_MS,
            normalWithinMs: NORMAL_WITHIN_MS,
          })),
        )
      }
    },
  })
  const { findings: left, ...figures } = compared
  findings.push(...left)
  for (const { ended } of fleet.members) if (ended.length > 1) findings.push('a process ended')
  console.log(JSON.stringify(figures))
} finally {
  await fleet.close()
  await proxy.close()
}
reportFindings(findings)
