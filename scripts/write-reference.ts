import { writeFileSync } from 'node:fs'
import { pages } from './reference/pages.ts'

// `npm run docs:reference` writes the pages of docs/reference, docs/concepts/folders.md and the types of
// connectors from the source. test/reference.test.ts fails when one is stale

for (const [path, write] of Object.entries(pages))
  writeFileSync(new URL(`../${path}`, import.meta.url), write())
