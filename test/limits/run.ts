import { proof, proofDatabase, randomSeed, reportFindings } from '../support/proof.ts'
import { runLimitsProof } from './limits-proof.ts'

// npm run test:limits -- --operations 10000 --kills 3 --seed 7
// bash scripts/with-postgres.sh npm run test:limits

const { operations, kills, seed } = proof('limits', { operations: 10_000, kills: 3, seed: randomSeed() })
const database = proofDatabase()
console.log(`${database}, ${operations} operations, ${kills} kills, --seed ${seed}`)
const { findings, ...figures } = await runLimitsProof({
  operations,
  kills,
  seed,
  database,
  progress: (line) => console.log(`  ${line}`),
})
console.log(JSON.stringify(figures, null, 2))
reportFindings(findings)
