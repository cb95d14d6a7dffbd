import { parseArgs } from 'node:util'
import { startTestRailyard } from '../railyard.ts'
import { fuzz } from './fuzz.ts'
import { fuzzBytes } from './raw-bytes.ts'

// npm run test:fuzz -- --requests 100000 --seed 7
// bash scripts/with-postgres.sh npm run test:fuzz

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    bytes: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const [requests, bytes, seed] = [Number(values.requests), Number(values.bytes), Number(values.seed)]
const database = process.env['DATABASE_URL'] === undefined ? 'embedded' : 'postgres'
console.log(`${database}, ${requests} requests and ${bytes} messages of raw bytes, --seed ${seed}`)

// a process that ends before this is a finding by itself: its exit code says so
process.exitCode = 2
const railyard = await startTestRailyard({ PROVIDER_TIMEOUT_MS: '300' })
const began = performance.now()
const { findings, ...figures } = await fuzz(railyard, { requests, seed, patience: 1_000, progress: (line) => console.log(`  ${line}`) })
const raw = await fuzzBytes(railyard.url, { messages: bytes, seed, patience: 1_000 })
const ready = await railyard.send('GET', '/health/ready')
const verified = ready.status === 200 ? [] : [{ wrong: `not ready afterwards: ${ready.status}` }]
await railyard.close()

const all = [...findings, ...raw.findings, ...verified]
console.log(JSON.stringify({ ...figures, raw: { ...raw, findings: undefined }, seconds: Math.round((performance.now() - began) / 1000) }, null, 2))
for (const finding of all.slice(0, 50)) console.log(`FINDING ${JSON.stringify(finding)}`)
console.log(`${all.length} findings`)
process.exitCode = all.length > 0 ? 1 : 0
