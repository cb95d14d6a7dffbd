import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { launch } from '../../../test/crash/process.ts'
import { ownDatabase } from '../../../test/support/railyard.ts'
import { databaseName } from '../../database/postgres/hosts.ts'
import { startRailyard } from '../../process/railyard.ts'
import { readSettings } from '../../settings.ts'

vi.setConfig({ testTimeout: 300_000 })

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'railyard-no-instance-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const readers = [
  ['verify'],
  ['backup', 'FILE'],
  ['look-up'],
  ['partitions', 'list'],
  ['reconcile', '--missing'],
  ['keys', 'list'],
  ['google-pay-key'],
]
const run = (command: string[], env: Record<string, string>) =>
  launch(
    ['src/main.js', ...command.map((part) => (part === 'FILE' ? join(folder, 'backup') : part))],
    env,
    /(?!)/,
  ).ended

test('a command for an existing instance is refused in a folder without one, and makes none there', async () => {
  const data = join(folder, 'data')
  for (const command of readers)
    expect(await run(command, { DATA_DIR: data })).toEqual({
      code: 1,
      output: `railyard: there is no database in DATA_DIR, ${data}: run the command in the folder of the service and with its settings (DATA_DIR, or DATABASE_URL)\n`,
    })
  expect(existsSync(data)).toBe(false)
  expect(existsSync(join(folder, 'backup'))).toBe(false)
})

test('migrate makes no embedded database in production, where DATABASE_URL may have been forgotten', async () => {
  const data = join(folder, 'migrated')
  expect(await run(['migrate'], { RAILYARD_ENV: 'production', DATA_DIR: data })).toEqual({
    code: 1,
    output: `railyard: there is no database in DATA_DIR, ${data}: run the command in the folder of the service and with its settings (DATA_DIR, or DATABASE_URL)\n`,
  })
  expect(existsSync(data)).toBe(false)
})

test('on PostgreSQL it is refused in a database without the tables of Railyard, until migrate has made them', async () => {
  const database = await ownDatabase('template0')
  if (!database) return
  const env = { DATA_DIR: folder, DATABASE_URL: database.url }
  for (const command of readers)
    expect(await run(command, env)).toEqual({
      code: 1,
      output: `railyard: the database of DATABASE_URL, ${databaseName(database.url)}, has no tables of Railyard: name the database of the service, or run railyard migrate first\n`,
    })
  expect(existsSync(join(folder, 'backup'))).toBe(false)
  expect(await run(['migrate'], env)).toMatchObject({ code: 0 })
  expect(await run(['partitions', 'list'], env)).toMatchObject({ code: 0 })
  await database.drop()
})

test('a start whose key service does not answer ends with one line that says so', async () => {
  const database = await ownDatabase('template0')
  if (!database) return
  const env = {
    DATA_DIR: join(folder, 'key-service'),
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: `${'A'.repeat(43)}=`,
    PORT: '0',
    LOG_LEVEL: 'warn',
  }
  await (await startRailyard(readSettings(env))).close()
  const keyService = { KMS_URL: 'http://127.0.0.1:9', KMS_KEY_ID: 'railyard', KMS_TOKEN: 'token' }
  expect(await run(['start'], { ...env, ...keyService })).toEqual({
    code: 1,
    output: 'railyard: the key service (KMS_URL) did not encrypt: ECONNREFUSED\n',
  })
  await database.drop()
})
