import { proof, proofDatabase, randomSeed, reportFindings } from '../support/proof.ts'
import { startTestRailyard } from '../support/railyard.ts'
import { fuzzEmbedded } from './embedded.ts'
import { fuzz } from './fuzz.ts'
import { fuzzBytes } from './raw-bytes.ts'
import { fuzzSpellings } from './spelled-money.ts'

// npm run test:fuzz -- --requests 100000 --seed 7
// bash scripts/with-postgres.sh npm run test:fuzz

const { requests, bytes, spellings, embedded, seed } = proof('fuzz', {
  requests: 10_000,
  bytes: 2_000,
  spellings: 300,
  embedded: 3_000,
  seed: randomSeed(),
})
console.log(`${proofDatabase()}, ${requests} requests and ${bytes} messages of raw bytes, --seed ${seed}`)

// a process that ends before this is a finding: its exit code shows it
process.exitCode = 2
const railyard = await startTestRailyard({ PROVIDER_TIMEOUT_MS: '300' })
const began = performance.now()
const { findings, ...figures } = await fuzz(railyard, {
  requests,
  seed,
  patience: 1_000,
  progress: (line) => console.log(`  ${line}`),
})
const raw = await fuzzBytes(railyard.url, { messages: bytes, seed, patience: 1_000 })
const spelled = await fuzzSpellings(railyard, { rounds: spellings, seed })
const browsers = await fuzzEmbedded(railyard, { requests: embedded, seed })
const ready = await railyard.send('GET', '/health/ready')
const verified = ready.status === 200 ? [] : [{ wrong: `not ready afterwards: ${ready.status}` }]
await railyard.close()

const all = [...findings, ...raw.findings, ...spelled.findings, ...browsers.findings, ...verified]
console.log(
  JSON.stringify(
    {
      ...figures,
      raw: { ...raw, findings: undefined },
      spelled: { ...spelled, findings: undefined },
      browsers: { ...browsers, findings: undefined },
      seconds: Math.round((performance.now() - began) / 1000),
    },
    null,
    2,
  ),
)
process.exitCode = 0
reportFindings(all.map((finding) => JSON.stringify(finding)))
