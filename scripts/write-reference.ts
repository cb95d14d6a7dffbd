import { writeFileSync } from 'node:fs'
import { pages } from './reference/pages.ts'

// `npm run docs:reference` writes the pages of docs/reference, docs/concepts/folders.md, the types of
// connectors and what `@railyard/client` is generated from, all of it from the source. test/reference.test.ts
// and test/packages/client/generated.test.ts fail when one is stale

for (const [path, write] of Object.entries(pages))
  writeFileSync(new URL(`../${path}`, import.meta.url), write())
await import('./write-client.ts')
