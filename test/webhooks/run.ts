import { proof, proofDatabase, randomSeed, reportFindings } from '../support/proof.ts'
import { runWebhookProof } from './webhook-proof.ts'

// npm run test:webhooks -- --events 10000 --kills 20 --seed 7
// bash scripts/with-postgres.sh npm run test:webhooks

const { events, kills, seed } = proof('webhooks', { events: 3_000, kills: 6, seed: randomSeed() })
const database = proofDatabase()
console.log(`${database}, ${events} events, ${kills} kills, --seed ${seed}`)
const { findings, ...figures } = await runWebhookProof({
  events,
  kills,
  seed,
  database,
  progress: (line) => console.log(`  ${line}`),
})
console.log(JSON.stringify(figures, null, 2))
reportFindings(findings)
