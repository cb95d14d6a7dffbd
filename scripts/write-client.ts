import { mkdirSync, writeFileSync } from 'node:fs'
import { clientFiles } from './client/client-files.ts'
import { readApiDocument } from './client/read-api-document.ts'

// `node scripts/write-client.ts`, also part of `npm run docs:reference`: writes packages/client/src/generated
// from the API document of a throw-away instance. test/packages/client/generated.test.ts fails when it is stale

mkdirSync(new URL('../packages/client/src/generated', import.meta.url), { recursive: true })
for (const [path, text] of Object.entries(clientFiles(await readApiDocument())))
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
