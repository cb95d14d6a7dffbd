import { proof, proofDatabase, randomSeed, reportFindings } from '../support/proof.ts'
import { runLimitsProof } from './limits-proof.ts'
import { runProposalsProof } from './proposals-proof.ts'

// npm run test:limits -- --operations 10000 --kills 3 --seed 7
// npm run test:limits -- --play proposals
// bash scripts/with-postgres.sh npm run test:limits

const { play, operations, kills, seed } = proof('limits', {
  play: ['limits', 'proposals'],
  operations: 10_000,
  kills: 3,
  seed: randomSeed(),
})
const database = proofDatabase()
console.log(`${play}, ${database}, ${operations} operations, ${kills} kills, --seed ${seed}`)
const run = play === 'limits' ? runLimitsProof : runProposalsProof
const { findings, ...figures } = await run({
  operations,
  kills,
  seed,
  database,
  progress: (line) => console.log(`  ${line}`),
})
console.log(JSON.stringify(figures, null, 2))
reportFindings(findings)
