import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRailyard } from '../src/process/railyard.ts'
import { readSettings } from '../src/settings.ts'

// Writes the API document of a throw-away instance to the file that is named: node scripts/write-openapi.ts
// openapi.json

const [file = 'openapi.json'] = process.argv.slice(2)
const dataDir = await mkdtemp(join(tmpdir(), 'railyard-openapi-'))
const railyard = await startRailyard(readSettings({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' }), {
  inMemory: true,
})
const document = await fetch(`${railyard.url}/openapi.json`)
await writeFile(file, `${JSON.stringify(await document.json(), null, 2)}\n`)
await railyard.close()
await rm(dataDir, { recursive: true, force: true })
