import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readSettings, type Settings } from '../../src/settings.ts'
import { ownDatabase } from './railyard.ts'

/**
 * The settings of a new instance with a folder of its own, and on PostgreSQL a database of its own; both are
 * deleted after the test.
 */
export async function newInstanceSettings(env: Record<string, string> = {}): Promise<Settings> {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-test-'))
  const own = await ownDatabase()
  onTestFinished(async () => {
    await own?.drop()
    rmSync(folder, { recursive: true })
  })
  return readSettings({
    DATA_DIR: folder,
    PORT: '0',
    PROVIDER_TIMEOUT_MS: '1000',
    ...(own && { DATABASE_URL: own.url, DATABASE_POOL_SIZE: '5' }),
    ...env,
  })
}
