import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRailyard } from '../../src/process/railyard.ts'
import { readSettings } from '../../src/settings.ts'
import type { ApiDocument } from './document.ts'

/** The API document of a throw-away instance. */
export async function readApiDocument(): Promise<ApiDocument> {
  const dataDir = await mkdtemp(join(tmpdir(), 'railyard-openapi-'))
  const settings = readSettings({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' })
  const railyard = await startRailyard(settings, { inMemory: true })
  const answer = await fetch(`${railyard.url}/openapi.json`)
  const document: ApiDocument = JSON.parse(await answer.text())
  await railyard.close()
  await rm(dataDir, { recursive: true, force: true })
  return document
}
