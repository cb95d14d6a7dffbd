import { parseArgs } from 'node:util'
import { crash } from './crashes.ts'

// npm run test:crash -- --crashes 50 --faults both --seed 7
// bash scripts/with-postgres.sh npm run test:crash -- --database both

/** FIGURES R1. Held here and not in the suite, whose tests share the processor. */
const READY_WITHIN_MS = 3_000

const postgres = process.env['DATABASE_URL'] !== undefined

const { values } = parseArgs({
  options: {
    crashes: { type: 'string', default: '50' },
    database: { type: 'string', default: postgres ? 'postgres' : 'embedded' },
    faults: { type: 'string', default: 'both' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})

const databases = new Map<string, ('embedded' | 'postgres')[]>([
  ['embedded', ['embedded']],
  ['postgres', ['postgres']],
  ['both', ['embedded', 'postgres']],
]).get(values.database)
const misbehaviours = new Map([
  ['off', [false]],
  ['on', [true]],
  ['both', [false, true]],
]).get(values.faults)
if (!databases) throw new TypeError('--database must be embedded, postgres or both')
if (!misbehaviours) throw new TypeError('--faults must be off, on or both')
if (databases.includes('postgres') && !postgres) throw new TypeError('run it under scripts/with-postgres.sh')

// what was started is ended on `exit`, which a signal alone does not bring about
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

for (const database of databases) {
  for (const faults of misbehaviours) {
    console.log(`${database}, ${faults ? 'with' : 'without'} faults, --seed ${values.seed}`)
    const progress = (line: string) => console.log(`  ${line}`)
    const { findings, ...figures } = await crash({ crashes: Number(values.crashes), database, faults, seed: Number(values.seed), progress })
    console.log(JSON.stringify(figures, null, 2))
    for (const finding of findings) console.log(`FINDING ${finding}`)
    console.log(`${findings.length} findings`)
    const late = figures.restartToReady.max > READY_WITHIN_MS
    if (late) console.log(`LATE: ready only after ${figures.restartToReady.max} ms`)
    if (late || findings.length > 0) process.exitCode = 1
  }
}
