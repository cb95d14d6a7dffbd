import { writeFile } from 'node:fs/promises'
import { readApiDocument } from './client/read-api-document.ts'

// Writes the API document of a throw-away instance to the file that is named: node scripts/write-openapi.ts
// openapi.json

const [file = 'openapi.json'] = process.argv.slice(2)
await writeFile(file, `${JSON.stringify(await readApiDocument(), null, 2)}\n`)
