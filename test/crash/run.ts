import { proof, proofDatabase, randomSeed, reportFindings, requirePostgres } from '../support/proof.ts'
import { crash } from './crashes.ts'

// npm run test:crash -- --crashes 50 --faults both --seed 7
// bash scripts/with-postgres.sh npm run test:crash -- --database both

/** The limit for a start. It is checked here and not in the suite, whose tests share the processor. */
const READY_WITHIN_MS = 3_000

const both = ['embedded', 'postgres'] as const
const { crashes, seed, ...chosen } = proof('crash', {
  crashes: 50,
  database: [proofDatabase(), 'embedded', 'postgres', 'both'],
  faults: ['both', 'off', 'on'],
  seed: randomSeed(),
})
const databases = chosen.database === 'both' ? both : [chosen.database]
const misbehaviours = chosen.faults === 'both' ? [false, true] : [chosen.faults === 'on']
if (databases.includes('postgres')) requirePostgres()

for (const database of databases) {
  for (const faults of misbehaviours) {
    console.log(`${database}, ${faults ? 'with' : 'without'} faults, --seed ${seed}`)
    const progress = (line: string) => console.log(`  ${line}`)
    const { findings, ...figures } = await crash({ crashes, database, faults, seed, progress })
    console.log(JSON.stringify(figures, null, 2))
    reportFindings(findings)
    const late = figures.restartToReady.max > READY_WITHIN_MS
    if (!late) continue
    console.log(`LATE: ready only after ${figures.restartToReady.max} ms`)
    process.exitCode = 1
  }
}
