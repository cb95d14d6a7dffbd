import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readSettings, type Settings } from '../../src/settings.ts'
import { ownDatabase } from './railyard.ts'

/**
 * The settings of a new instance, for commands: a folder of its own, and a database of its own if it is on PostgreSQL.
 * `finished`: when both are removed (`onTestFinished`, `afterAll`).
 */
export async function newPlace(
  finished: (remove: () => Promise<void>) => void = onTestFinished,
  env: Record<string, string> = {},
): Promise<Settings> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-place-'))
  const own = await ownDatabase()
  finished(async () => {
    await own?.drop()
    await rm(folder, { recursive: true })
  })
  return readSettings({
    DATA_DIR: folder,
    ...(own && { DATABASE_URL: own.url, DATABASE_POOL_SIZE: '3' }),
    ...env,
  })
}
