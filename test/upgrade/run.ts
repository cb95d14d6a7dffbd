import { parseArgs } from 'node:util'
import { root } from '../crash/process.ts'
import { NEXT, NoHistory, nextVersion, olderVersion } from './older-version.ts'
import { upgradeUnderLoad } from './upgrade.ts'

// bash scripts/with-postgres.sh npm run test:upgrade -- --upgrades 10 --seed 7
// --from v0.1.0: the version to come from; absent: the last one without the newest migration
// --one-way: none goes back to the older version; for those of before versions started on the schema of the next one
// --next: from this version to the next one, which has a migration more

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    'one-way': { type: 'boolean', default: false },
    next: { type: 'boolean', default: false },
    upgrades: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
  },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
if (!process.env['DATABASE_URL']) throw new TypeError('run it under scripts/with-postgres.sh')

const other = await (values.next ? nextVersion() : olderVersion(values.from)).catch((error) => {
  if (!(error instanceof NoHistory)) throw error
  console.error(error.message)
  process.exit(2)
})
const way = values.next ? { from: root, to: other.folder } : { from: other.folder, to: root }
console.log(values.next ? `to the next version, which adds ${NEXT}` : `from ${other.commit}, which lacks ${other.lacks.join(', ') || 'no migration'}`)
try {
  for (let count = 0; count < Number(values.upgrades); count++) {
    const seed = Number(values.seed) + count
    const progress = (line: string) => console.log(`  ${line}`)
    const { findings, ...figures } = await upgradeUnderLoad({ ...way, andBack: !values['one-way'], seed, progress })
    console.log(JSON.stringify(figures))
    for (const finding of findings.slice(0, 20)) console.log(`FINDING ${finding.slice(0, 500)}`)
    console.log(`${findings.length} findings, --seed ${seed}`)
    if (findings.length > 0) process.exitCode = 1
  }
} finally {
  await other.remove()
}
