import { root } from '../crash/process.ts'
import { proof, reportFindings, requirePostgres } from '../support/proof.ts'
import { NEXT, NoHistory, nextVersion, olderVersion } from './older-version.ts'
import { upgradeUnderLoad } from './upgrade.ts'

// bash scripts/with-postgres.sh npm run test:upgrade -- --upgrades 10 --seed 7 --from v0.1.0: the version to
// come from; absent: the last one without the newest migration --one-way: none goes back to the older
// version; for those of before versions started on the schema of the next one --next: from this version to
// the next one, which has a migration more

const {
  upgrades,
  seed: first,
  from,
  next,
  oneWay,
} = proof('upgrade', { upgrades: 1, seed: 1, from: String, next: false, oneWay: false })
requirePostgres()

const other = await (next ? nextVersion() : olderVersion(from)).catch((error) => {
  if (!(error instanceof NoHistory)) throw error
  console.error(error.message)
  process.exit(2)
})
const way = next ? { from: root, to: other.folder } : { from: other.folder, to: root }
console.log(
  next
    ? `to the next version, which adds ${NEXT}`
    : `from ${other.commit}, which lacks ${other.lacks.join(', ') || 'no migration'}`,
)
try {
  for (let count = 0; count < upgrades; count++) {
    const seed = first + count
    const progress = (line: string) => console.log(`  ${line}`)
    const { findings, ...figures } = await upgradeUnderLoad({ ...way, andBack: !oneWay, seed, progress })
    console.log(JSON.stringify(figures))
    reportFindings(findings, `--seed ${seed}`)
  }
} finally {
  await other.remove()
}
