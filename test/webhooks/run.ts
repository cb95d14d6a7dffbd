import { parseArgs } from 'node:util'
import { show } from './show.ts'

// npm run test:webhooks -- --events 10000 --kills 20 --seed 7
// bash scripts/with-postgres.sh npm run test:webhooks

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '3000' },
    kills: { type: 'string', default: '6' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})

// what was started is ended on `exit`, which a signal alone does not bring about
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const [events, kills, seed] = [Number(values.events), Number(values.kills), Number(values.seed)]
const database = process.env['DATABASE_URL'] === undefined ? 'embedded' : 'postgres'
console.log(`${database}, ${events} events, ${kills} kills, --seed ${seed}`)
const { findings, ...figures } = await show({ events, kills, seed, database, progress: (line) => console.log(`  ${line}`) })
console.log(JSON.stringify(figures, null, 2))
for (const finding of findings.slice(0, 50)) console.log(`FINDING ${finding}`)
console.log(`${findings.length} findings`)
if (findings.length > 0) process.exitCode = 1
