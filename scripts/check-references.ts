import { findBrokenReferences } from './references/find-broken-references.ts'
import { openRepository } from './references/repository.ts'

// node scripts/check-references.ts: whether links, paths, decisions and sections that pages and comments name
// exist. `npm run check` runs it

const broken = findBrokenReferences(openRepository(new URL('../', import.meta.url)))
for (const { file, line, problem } of broken) console.log(`${file}:${line}: ${problem}`)
if (broken.length > 0) {
  console.log(`${broken.length} references do not resolve`)
  process.exitCode = 1
}
