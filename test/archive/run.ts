import { proof, randomSeed, reportFindings, requirePostgres } from '../support/proof.ts'
import { killArchiving } from './kills.ts'

// bash scripts/with-postgres.sh npm run test:archive -- --kills 30 --seed 7

const { kills, seed } = proof('archive', { kills: 30, seed: randomSeed() })
requirePostgres()

console.log(`--seed ${seed}`)
const progress = (line: string) => console.log(`  ${line}`)
const { findings, figures } = await killArchiving({ kills, seed, progress })
console.log(JSON.stringify(figures, null, 2))
reportFindings(findings)
