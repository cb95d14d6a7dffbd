import { proof, reportFindings } from '../support/proof.ts'
import { fillDiskUnderLoad } from './disk-full.ts'
import { CannotMount } from './mount.ts'

// npm run test:disk-full -- --rounds 20 --seed 7     as root: it mounts a small disk
// bash scripts/with-postgres.sh npm run test:disk-full     moves that PostgreSQL to the small disk

const options = proof('disk-full', { rounds: 2, seed: 1 })
const progress = (line: string) => console.log(`  ${line}`)
const { findings, ...figures } = await fillDiskUnderLoad({
  ...options,
  databaseUrl: process.env['DATABASE_URL'],
  progress,
}).catch((error) => {
  if (!(error instanceof CannotMount)) throw error
  console.error(`cannot be tried here: ${error.message}`)
  process.exit(2)
})
console.log(JSON.stringify(figures))
reportFindings(findings, `--seed ${options.seed}`)
