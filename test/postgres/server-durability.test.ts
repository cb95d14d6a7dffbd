import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { warnings } from '../../src/cli/start/warnings.ts'
import { UnusableDatabase } from '../../src/database/database.ts'
import { createLog } from '../../src/observability/log.ts'
import { startRailyard } from '../../src/process/railyard.ts'
import { startOpeningDatabase } from '../../src/process/start-opening-database.ts'
import { readSettings, type Settings } from '../../src/settings.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'

/** Settings of an instance whose server has these settings. */
async function settingsFor(environment: 'sandbox' | 'production', ...settings: string[]): Promise<Settings> {
  const server = await startOwnPostgres({ settings })
  const dataDir = await mkdtemp(join(tmpdir(), 'railyard-durability-'))
  onTestFinished(() => server.close().finally(() => rm(dataDir, { recursive: true })))
  return readSettings({
    RAILYARD_ENV: environment,
    DATABASE_URL: server.url,
    DATA_DIR: dataDir,
    ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  })
}

/** The first step of `railyard start`. */
const open = async (settings: Settings) => (await startOpeningDatabase(settings))()

test('production refuses a server that may lose a commit, and names each setting with the way to set it', async () => {
  const opening = open(await settingsFor('production', 'fsync=off', 'full_page_writes=off'))
  await expect(opening).rejects.toThrow(UnusableDatabase)
  await expect(opening).rejects.toThrow(
    /runs with fsync=off: .* Set fsync = on in postgresql\.conf .*; .* Set full_page_writes = on/,
  )
})

test('the sandbox starts on it, and warns of each setting', async () => {
  const settings = await settingsFor('sandbox', 'fsync=off', 'full_page_writes=off')
  const railyard = await startRailyard({ ...settings, port: 0 }, { log: createLog('silent'), inMemory: true })
  onTestFinished(railyard.close)
  expect(await warnings(railyard)).toEqual(
    expect.arrayContaining([
      expect.stringContaining('fsync=off'),
      expect.stringContaining('full_page_writes=off'),
    ]),
  )
})

test('production opens a server that keeps what it commits', async () => {
  const database = await open(await settingsFor('production', 'fsync=on'))
  onTestFinished(database.close)
  expect(await database.run('select 1 as one', [])).toEqual([{ one: 1 }])
})
