import { proof, requirePostgres } from '../support/proof.ts'
import { startFleet } from './fleet.ts'
import { rollUnderLoad } from './rolling.ts'

// bash scripts/with-postgres.sh npm run test:rolling -- --restarts 100 --rate 200

const { restarts, rate } = proof('rolling', { restarts: 20, rate: 200 })
requirePostgres()

const fleet = await startFleet({ apis: 2, workers: 1, env: { STOP_DELAY_MS: '4000' } })
const { requests, failed, exits } = await rollUnderLoad(fleet, { restarts, perSecond: rate }).finally(() =>
  fleet.close(),
)
console.log(
  `${requests} requests, ${exits.length} restarts, the longest exit ${Math.max(...exits)} ms, ${failed.length} failed`,
)
for (const line of failed.slice(0, 20)) console.log(`FAILED ${line.slice(0, 300)}`)
if (failed.length > 0 || Math.max(...exits) > 30_000) process.exitCode = 1
