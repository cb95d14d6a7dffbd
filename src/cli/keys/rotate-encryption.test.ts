import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openCards, storeCard } from '../../../test/support/domains/vault.ts'
import { newPlace } from '../../../test/support/new-place.ts'
import { startRailyard } from '../../process/railyard.ts'
import type { Settings } from '../../settings.ts'
import { deleteUnusedKeyChecks } from '../../vault/keys/key-check.ts'
import { addKey, makeKeyFirst, readKeyFile } from '../../vault/keys/key-file.ts'
import { keyIdOf, localKeys } from '../../vault/keys/local-keys.ts'
import { rewrapAll, secretsByKey } from '../../vault/keys/rotation.ts'
import { liveProcesses } from '../../vault/keys/service-processes.ts'
import { openVault } from '../../vault/open-vault.ts'
import { withDatabase, withNewOrExistingDatabase } from '../support/command-database.ts'
import { type RotateOptions, rotateEncryption } from './rotate-encryption.ts'
import { runRotation } from './rotation-work.ts'

const settings = await newPlace(afterAll)
const file = join(settings.dataDir, 'encryption_key')
beforeAll(async () => {
  await withNewOrExistingDatabase(settings, async () => undefined)
})

const printed: string[] = []
beforeEach(() => {
  printed.length = 0
  const record = (line: unknown) => void printed.push(String(line))
  vi.spyOn(console, 'log').mockImplementation(record)
  vi.spyOn(console, 'error').mockImplementation(record)
  return () => vi.restoreAllMocks()
})

async function rotate(options: RotateOptions = {}, on = settings, patience = 2_000) {
  printed.length = 0
  const code = await rotateEncryption(on, options, patience)
  return { code, output: printed.join('\n') }
}
/** The key file was changed more than an hour ago. */
const passHour = () => {
  const hourAgo = new Date(Date.now() - 3_700_000)
  utimesSync(file, hourAgo, hourAgo)
}
const keys = () => readKeyFile(file)
const ids = async () => (await keys()).map(keyIdOf)
const numbers = async (masterKeys: readonly Buffer[]) =>
  withDatabase(settings, async (database) =>
    (await openCards(database, localKeys(masterKeys))).map(({ number }) => number).sort(),
  )
const fingerprint = () =>
  withDatabase(settings, async ({ db }) =>
    (await openVault(db, settings)).cipher.mac('card-fingerprint', '4111111111111111').toString('hex'),
  )

const stored = ['4111 1', '4111 2', '4111 3', '4111 4']

/** Starts a process that serves on the instance of this file, with these settings. */
const serve = (overrides: Partial<Settings>, keyPatience = 2_000) =>
  startRailyard(
    { ...settings, port: 0, stopDelay: 0, ...overrides },
    { log: pino({ level: 'silent' }), keyPatience },
  )

test('a rotation makes a key, puts it first, and wraps every secret under it; fingerprints stay what they were', async () => {
  const before = await fingerprint()
  const [first = ''] = await ids()
  await withDatabase(settings, async (database) => {
    for (const number of ['4111 1', '4111 2']) await storeCard(database, localKeys(await keys()), number)
  })
  const { code, output } = await rotate()
  const [second = '', ...others] = await ids()
  expect(others).toEqual([first])
  expect(code).toBe(0)
  expect(output).toMatch(
    new RegExp(
      `^Made the key ${second}, the first in .*encryption_key\n3 secrets wrapped anew under the key ${second}`,
    ),
  )
  expect(await numbers((await keys()).slice(0, 1))).toEqual(['4111 1', '4111 2'])
  expect(await fingerprint()).toBe(before)
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) expect(output).not.toContain(line)
})

test('a rotation that was stopped continues with its key, and only --new makes another one', async () => {
  const [second = ''] = await ids()
  const third = await addKey(file)
  await makeKeyFirst(file, third)
  const { output } = await rotate()
  expect(output).toMatch(
    new RegExp(`^Going on with the rotation to the key ${third}: 3 secrets under earlier keys.*--new`),
  )
  expect(output).toContain(`3 secrets wrapped anew under the key ${third}`)
  await withDatabase(settings, async (database) =>
    storeCard(database, localKeys([(await keys())[1] ?? randomBytes(32)]), '4111 3'),
  )
  expect((await rotate({ new: true })).code).toBe(0)
  expect((await ids()).slice(1, 3)).toEqual([third, second])
  expect(await numbers((await keys()).slice(0, 1))).toEqual(['4111 1', '4111 2', '4111 3'])
})

test('--forget-old wraps every secret again, then removes earlier keys; on PostgreSQL an hour after the last rotation', async () => {
  const [newest, third, second] = await ids()
  await withDatabase(settings, async (database) =>
    storeCard(database, localKeys((await keys()).slice(2, 3)), '4111 4'),
  )
  if (settings.databaseUrl)
    await expect(rotate({ forgetOld: true })).rejects.toThrow(
      /changed less than an hour ago.*run this again in \d+ minutes$/,
    )
  passHour()
  const { output } = await rotate({ forgetOld: true })
  expect(output).toContain(`Took out of ${file}: ${third}, ${second}`)
  expect(await ids()).toEqual([newest])
  expect(await numbers(await keys())).toEqual(['4111 1', '4111 2', '4111 3', '4111 4'])
})

// the embedded database has no time limits
test.runIf(process.env['DATABASE_URL'])(
  'a rotation may read a large table for as long as that takes, and waits for locks no longer than a request',
  async () => {
    const select = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`
    let limits: object[] = []
    await runRotation(settings, 0, async ({ database }) => {
      limits = await database.run(select, [])
      return 0
    })
    expect(limits).toEqual([{ statement: '0', lock: '2500ms' }])
  },
)

test('--forget-old can be repeated after it was killed when it had removed the earlier keys', async () => {
  const [earlier] = await ids()
  const first = await addKey(file)
  await makeKeyFirst(file, first)
  passHour()
  const checks = () =>
    withDatabase(settings, async ({ db }) =>
      (await db.selectFrom('encryption_keys').select('key_id').execute()).map(({ key_id: id }) => id),
    )
  expect(await checks()).toEqual([earlier])
  // it prints this once the keys are out of the file
  vi.mocked(console.log).mockImplementation((line) => {
    if (String(line).startsWith('Took out of')) throw new Error('killed')
  })
  await expect(rotate({ forgetOld: true })).rejects.toThrow('killed')
  expect(await ids()).toEqual([first])
  expect(await checks()).toEqual([first])
  vi.mocked(console.log).mockImplementation(() => undefined)
  passHour()
  expect((await rotate({ forgetOld: true })).code).toBe(0)
})

test('secrets under a missing key stay as they are, and the output names the key', async () => {
  const stray = randomBytes(32)
  const card = await withDatabase(settings, (database) => storeCard(database, localKeys([stray]), '4111 5'))
  const { code, output } = await rotate({ forgetOld: true })
  expect(code).toBe(1)
  expect(output).toContain(
    `1 secret under the key ${keyIdOf(stray)} cannot be opened: put that key back (${file}) and run this again`,
  )
  await withDatabase(settings, ({ db }) =>
    db.deleteFrom('payment_methods').where('id', '=', card.id).execute(),
  )
})

test('a rotation is refused without any change while a process does not know the key; it succeeds when the key is last in its list', async () => {
  const [used = Buffer.alloc(0)] = await keys()
  const fresh = randomBytes(32)
  const asText = (...list: Buffer[]) => list.map((key) => key.toString('base64')).join(',')
  const serving = await serve({ encryptionKey: asText(used, fresh) })
  try {
    // the embedded database has no other process
    if (settings.databaseUrl) {
      expect(await liveProcesses(serving.world)).toMatchObject([
        { pid: process.pid, encryption_keys: [keyIdOf(used), keyIdOf(fresh)] },
      ])
      const unknown = randomBytes(32)
      const refused = new RegExp(
        `^the process ${process.pid} on .* does not know the key ${keyIdOf(unknown)} \\(ENCRYPTION_KEY\\)`,
      )
      await expect(
        rotate({}, { ...settings, encryptionKey: asText(unknown, used, fresh) }, 20_000),
      ).rejects.toThrow(refused)
      expect([...(await secretsByKey(serving.world)).keys()]).toEqual([keyIdOf(used)])
      expect((await fetch(`${serving.url}/health/ready`)).status).toBe(200)
      expect((await rotate({}, { ...settings, encryptionKey: asText(fresh, used) })).code).toBe(0)
      expect((await fetch(`${serving.url}/health/ready`)).status).toBe(200)
      expect((await openCards(serving.world, serving.world.keys)).map(({ keyId }) => keyId)).toEqual(
        Array(4).fill(keyIdOf(fresh)),
      )
    }
  } finally {
    await serving.close()
  }
  await withDatabase(settings, async (database) => {
    expect(await liveProcesses(database)).toEqual([])
    await rewrapAll({ ...database, keys: localKeys([used, fresh]) })
    await deleteUnusedKeyChecks(database.db, [keyIdOf(used)])
  })
})

// on the embedded database there is one process
test.runIf(process.env['DATABASE_URL'])(
  'a process with a new key does not start while another process serves without it',
  async () => {
    const [used = Buffer.alloc(0)] = await keys()
    const serving = await serve({ encryptionKey: used.toString('base64') })
    const encryptionKey = [randomBytes(32), used].map((key) => key.toString('base64')).join(',')
    const { simulatorUrl } = serving
    await expect(serve({ encryptionKey, sandboxUrl: simulatorUrl }, 20_000)).rejects.toThrow(
      /^the process \d+ on .* cannot open what this process would encrypt with the key/,
    )
    expect((await fetch(`${serving.url}/health/ready`)).status).toBe(200)
    await serving.close()
    const alone = await serve({ encryptionKey })
    await expect(
      serve({ encryptionKey: used.toString('base64'), sandboxUrl: alone.simulatorUrl }),
    ).rejects.toThrow(/an encryption key is in use that this process does not have/)
    await alone.close()
    await withDatabase(settings, ({ db }) => deleteUnusedKeyChecks(db, [keyIdOf(used)]))
  },
)

test('a new key becomes the first in the file when every process has read it, and is removed again when one does not', async () => {
  const before = await ids()
  const elsewhere = mkdtempSync(join(tmpdir(), 'railyard-elsewhere-'))
  onTestFinished(() => rmSync(elsewhere, { recursive: true }))
  copyFileSync(file, join(elsewhere, 'encryption_key'))
  // the embedded database has no other process
  if (settings.databaseUrl) {
    const serving = await serve({ dataDir: elsewhere })
    await expect(rotate({ new: true })).rejects.toThrow(
      /did not read the new key from .*, so it was taken out again and nothing was changed/,
    )
    expect(await ids()).toEqual(before)
    await serving.close()
  }
  const following = settings.databaseUrl ? await serve({}) : undefined
  expect((await rotate({ new: true }, settings, 20_000)).code).toBe(0)
  expect((await ids()).slice(1)).toEqual(before)
  if (following)
    expect(
      (await openCards(following.world, following.world.keys)).map(({ number }) => number).sort(),
    ).toEqual(stored)
  await following?.close()
})

test('with ENCRYPTION_KEY, a rotation wraps every secret under its first key, and refuses --new and --forget-old', async () => {
  const [used = Buffer.alloc(0)] = await keys()
  const fresh = randomBytes(32)
  const on = { ...settings, encryptionKey: [fresh, used].map((key) => key.toString('base64')).join(',') }
  await expect(rotate({ new: true }, on)).rejects.toThrow(
    /^--new makes a key in DATA_DIR\/encryption_key, and ENCRYPTION_KEY is used here/,
  )
  await expect(rotate({ forgetOld: true }, on)).rejects.toThrow(
    /^--forget-old is for DATA_DIR\/encryption_key/,
  )
  await expect(rotate({ new: true, forgetOld: true })).rejects.toThrow(
    /^--new and --forget-old are two steps/,
  )
  expect((await rotate({}, on)).output).toMatch(
    new RegExp(`^5 secrets wrapped anew under the key ${keyIdOf(fresh)} \\(ENCRYPTION_KEY\\)`),
  )
  expect(await numbers([fresh])).toEqual(['4111 1', '4111 2', '4111 3', '4111 4'])
  await expect(rotate()).rejects.toThrow(/encryption_key is not the key that this database was made with/)
})
