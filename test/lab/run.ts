import { proof, requirePostgres } from '../support/proof.ts'
import { neverHit, startCoverage } from './coverage.ts'
import { play } from './seed.ts'
import { openStage, type Stage } from './stage.ts'

// npm run test:lab -- --seeds 300
// npm run test:lab -- --seed 17
// bash scripts/with-postgres.sh npm run test:lab -- --database postgres --seeds 50

const {
  seed: only,
  seeds = only === undefined ? 20 : 1,
  days,
  database,
} = proof('lab', { seeds: Number, seed: Number, days: 7, database: ['embedded', 'postgres'] })
const first = only ?? 1

/** Tables and books grow with every story, and every check reads them. */
const STORIES_ON_A_STAGE = 20
/** This many stories cover every required case. */
const ENOUGH = 300

if (database === 'postgres') requirePostgres()
else delete process.env['DATABASE_URL']

const coverage = startCoverage()
const began = performance.now()
let virtualMs = 0
let findings = 0
let stage: Stage | undefined
for (let seed = first; seed < first + seeds; seed++) {
  if (stage && (seed - first) % STORIES_ON_A_STAGE === 0) {
    await stage.close()
    stage = undefined
  }
  stage ??= await openStage()
  const result = await play(stage, seed, days, coverage)
  virtualMs += result.virtualMs
  const count = seed - first + 1
  if (count % STORIES_ON_A_STAGE === 0)
    console.log(`${count} seeds, ${findings} findings, ${Math.round((performance.now() - began) / 1_000)} s`)
  if (seeds === 1 && !result.finding) console.log(result.lines.join('\n'))
  if (result.finding) {
    findings += 1
    console.log(
      `FINDING with seed ${seed}\n${result.lines.map((line) => `  ${line}`).join('\n')}\n${result.finding}`,
    )
    console.log(
      `repeat it: npm run test:lab -- --seed ${seed} --days ${days}${database === 'embedded' ? '' : ` --database ${database}`}`,
    )
    // its open operations must not affect the next story
    await stage.close()
    stage = undefined
  }
  if (seeds === 1) console.log(`trace ${result.hash}`)
}
await stage?.close()

const minutes = (performance.now() - began) / 60_000
for (const [name, count] of coverage.counts) console.log(`${String(count).padStart(7)} ${name}`)
const missed = neverHit(coverage)
console.log(
  `${seeds} seeds of ${days} days: ${findings} findings, ${(seeds / minutes).toFixed(1)} seeds a minute, ${Math.round(virtualMs / 60_000 / minutes)} times real time`,
)
if (seeds >= ENOUGH && missed.length > 0) console.log(`NEVER HIT: ${missed.join(', ')}`)
if (findings > 0 || (seeds >= ENOUGH && missed.length > 0)) process.exitCode = 1
