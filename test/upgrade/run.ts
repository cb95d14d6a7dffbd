import { parseArgs } from 'node:util'
import { NoHistory, olderVersion } from './older-version.ts'
import { upgradeUnderLoad } from './upgrade.ts'

// bash scripts/with-postgres.sh npm run test:upgrade -- --upgrades 10 --seed 7
// --from v0.1.0: the version to come from; absent: the last one without the newest migration

const { values } = parseArgs({
  options: { from: { type: 'string' }, upgrades: { type: 'string', default: '1' }, seed: { type: 'string', default: '1' } },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
if (!process.env['DATABASE_URL']) throw new TypeError('run it under scripts/with-postgres.sh')

const older = await olderVersion(values.from).catch((error) => {
  if (!(error instanceof NoHistory)) throw error
  console.error(error.message)
  process.exit(2)
})
console.log(`from ${older.commit}, which lacks ${older.lacks.join(', ') || 'no migration'}`)
try {
  for (let count = 0; count < Number(values.upgrades); count++) {
    const seed = Number(values.seed) + count
    const { findings, ...figures } = await upgradeUnderLoad(older, { seed, progress: (line) => console.log(`  ${line}`) })
    console.log(JSON.stringify(figures))
    for (const finding of findings.slice(0, 20)) console.log(`FINDING ${finding.slice(0, 500)}`)
    console.log(`${findings.length} findings, --seed ${seed}`)
    if (findings.length > 0) process.exitCode = 1
  }
} finally {
  await older.remove()
}
