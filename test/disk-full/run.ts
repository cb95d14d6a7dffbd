import { parseArgs } from 'node:util'
import { fillDiskUnderLoad } from './disk-full.ts'
import { CannotMount } from './mount.ts'

// npm run test:disk-full -- --rounds 20 --seed 7     as root: it mounts a small disk

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '2' }, seed: { type: 'string', default: '1' } } })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const options = { rounds: Number(values.rounds), seed: Number(values.seed), progress: (line: string) => console.log(`  ${line}`) }
const { findings, ...figures } = await fillDiskUnderLoad(options).catch((error) => {
  if (!(error instanceof CannotMount)) throw error
  console.error(`cannot be tried here: ${error.message}`)
  process.exit(2)
})
console.log(JSON.stringify(figures))
for (const finding of findings.slice(0, 20)) console.log(`FINDING ${finding.slice(0, 500)}`)
console.log(`${findings.length} findings, --seed ${values.seed}`)
if (findings.length > 0) process.exitCode = 1
