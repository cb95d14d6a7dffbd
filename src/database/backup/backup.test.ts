import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { byId, openCards, type StoredCard, storeCard } from '../../../test/support/domains/vault.ts'
import { newPlace } from '../../../test/support/new-place.ts'
import type { Settings } from '../../settings.ts'
import { addKey, makeKeyFirst } from '../../vault/keys/key-file.ts'
import { rewrapAll } from '../../vault/keys/rotation.ts'
import { openVault } from '../../vault/open-vault.ts'
import { storeSecurityCode } from '../../vault/secrets/security-code.ts'
import { migrate } from '../migrate.ts'
import { openDatabase } from '../open-database.ts'
import { backUp, restore } from './backup.ts'

async function withVault<T>(
  settings: Settings,
  work: (
    vault: Awaited<ReturnType<typeof openVault>> & Awaited<ReturnType<typeof openDatabase>>,
  ) => Promise<T>,
) {
  const database = await openDatabase(settings)
  try {
    await migrate(database)
    const vault = await openVault(database.db, settings)
    return await work({ ...database, ...vault }).finally(vault.masterKeys.close)
  } finally {
    await database.close()
  }
}

// has a wrong check digit; the search looks for its digits alone
const canaries = ['4929000011112222', '5425000033334444', '374500055556666']
const label = randomUUID()

let settings: Settings
let file: string
let cards: StoredCard[]
let fingerprint: string

beforeAll(async () => {
  const removals: (() => Promise<void>)[] = []
  settings = await newPlace((remove) => void removals.push(remove))
  file = join(settings.dataDir, 'backup')
  await withVault(settings, async ({ db, masterKeys, cipher }) => {
    const stored = await Promise.all(canaries.map((number) => storeCard({ db }, masterKeys.keys, number)))
    cards = stored.sort(byId)
    await db.updateTable('payment_methods').set({ label }).execute()
    await storeSecurityCode(
      { db, keys: masterKeys.keys },
      'berlin',
      randomUUID(),
      '9173',
      '2126-01-01T00:00:00.000Z',
    )
    fingerprint = cipher.mac('card-fingerprint', canaries.join()).toString('hex')
  })
  await backUp(settings, file)
  return async () => {
    for (const remove of removals) await remove()
  }
})

/** The uncompressed content of a backup. */
function content(): Buffer {
  const bytes = readFileSync(file)
  if (!settings.databaseUrl) return gunzipSync(bytes)
  return execFileSync('pg_restore', ['--file=-', file], { maxBuffer: 64 * 1024 * 1024 })
}

/** Every encoding in which a backup could contain a text. */
function forms(text: string): Buffer[] {
  const utf16 = Buffer.from(text, 'utf16le')
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.from('x'.repeat(shift) + text)
      .toString('base64')
      .slice(shift ? 4 : 0, -4),
  )
  const hex = Buffer.from(text).toString('hex')
  return [
    Buffer.from(text),
    utf16,
    Buffer.from(utf16).swap16(),
    ...[hex, hex.toUpperCase(), ...base64].map((form) => Buffer.from(form)),
  ]
}
function found(text: string): Buffer[] {
  const whole = content()
  return forms(text).filter((form) => whole.includes(form))
}

test('of two backups into one file at once, one is made and the other refused', async () => {
  const folder = mkdtempSync(join(settings.dataDir, 'at-once-'))
  const target = join(folder, 'backup')
  const results = await Promise.allSettled([backUp(settings, target), backUp(settings, target)])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(readdirSync(folder)).toEqual(['backup'])
  const place = await newPlace()
  await restore(place, target)
})

test('a backup removes what one that was killed has left, and not what another one writes', async () => {
  const folder = mkdtempSync(join(settings.dataDir, 'killed-'))
  const target = join(folder, 'backup')
  for (const name of ['abandoned', 'written']) writeFileSync(`${target}.partial-${name}`, '')
  const hoursAgo = Date.now() / 1_000 - 2 * 3_600
  utimesSync(`${target}.partial-abandoned`, hoursAgo, hoursAgo)
  await backUp(settings, target)
  expect(readdirSync(folder).sort()).toEqual(['backup', 'backup.partial-written'])
})

test('only its owner may read a backup, and an existing file is not overwritten', async () => {
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const before = readFileSync(file)
  await expect(backUp(settings, file)).rejects.toThrow(`${file} exists already and is left as it is`)
  expect(readFileSync(file).equals(before)).toBe(true)
  await expect(backUp(settings, join(settings.dataDir, 'nowhere', 'backup'))).rejects.toThrow(
    /cannot be written: ENOENT/,
  )
})

test('no card number is in a backup in any form, and neither is the encryption key', () => {
  expect(found(label)).not.toEqual([])
  for (const number of canaries) expect(found(number)).toEqual([])
  const key = readFileSync(join(settings.dataDir, 'encryption_key'), 'utf8').trim()
  const bytes = Buffer.from(key, 'base64')
  const whole = content()
  for (const form of [Buffer.from(key), bytes, Buffer.from(bytes.toString('hex'))])
    expect(whole.includes(form)).toBe(false)
})

test('the search finds a number in each form', () => {
  const [number = ''] = canaries
  for (const text of [
    number,
    Buffer.from(`ab${number}`).toString('base64'),
    Buffer.from(number).toString('hex'),
  ])
    expect(forms(number).some((form) => text.includes(form.toString()))).toBe(true)
})

test('a restored instance has every card and fingerprint with its encryption key, and names the missing key without it', async () => {
  const place = await newPlace()
  await restore(place, file)
  await expect(withVault(place, async () => undefined)).rejects.toThrow(
    /ENCRYPTION_KEY is unset and .* is missing: this database was made with a key/,
  )
  copyFileSync(join(settings.dataDir, 'encryption_key'), join(place.dataDir, 'encryption_key'))
  await withVault(place, async ({ db, masterKeys, cipher }) => {
    expect((await openCards({ db }, masterKeys.keys)).map(({ keyId, ...card }) => card)).toEqual(cards)
    expect(cipher.mac('card-fingerprint', canaries.join()).toString('hex')).toBe(fingerprint)
    // pg_dump leaves security codes out; a folder is copied as it is
    expect(await db.selectFrom('security_codes').select('id').execute()).toHaveLength(
      settings.databaseUrl ? 0 : 1,
    )
  })
  await expect(restore(place, file)).rejects.toThrow(
    settings.databaseUrl ? /is not empty/ : /there is a database in .* already/,
  )
})

test('a backup from before a rotation opens with the old key among the keys', async () => {
  const later = join(settings.dataDir, 'later')
  copyFileSync(join(settings.dataDir, 'encryption_key'), later)
  onTestFinished(() => copyFileSync(later, join(settings.dataDir, 'encryption_key')))
  await withVault(settings, async (vault) => {
    const file = join(settings.dataDir, 'encryption_key')
    await makeKeyFirst(file, await addKey(file))
    expect((await rewrapAll({ ...vault, keys: vault.masterKeys.keys })).rewrapped).toBe(2 + canaries.length)
  })
  const place = await newPlace()
  copyFileSync(join(settings.dataDir, 'encryption_key'), join(place.dataDir, 'encryption_key'))
  await restore(place, file)
  await withVault(place, async ({ db, masterKeys }) => {
    expect((await openCards({ db }, masterKeys.keys)).map(({ keyId, ...card }) => card)).toEqual(cards)
  })
})

test('a file that is no backup, is cut off, or is of the other kind of database is refused and leaves nothing behind', async () => {
  const place = await newPlace()
  const odd = (name: string, bytes: Buffer) => {
    const path = join(place.dataDir, name)
    writeFileSync(path, bytes)
    return path
  }
  await expect(restore(place, odd('text', Buffer.from('a letter')))).rejects.toThrow(/text is not a backup$/)
  await expect(restore(place, odd('empty', Buffer.alloc(0)))).rejects.toThrow(/empty is not a backup$/)
  await expect(restore(place, join(place.dataDir, 'nowhere'))).rejects.toThrow(
    /nowhere cannot be read: ENOENT/,
  )
  const foreign = odd('foreign', settings.databaseUrl ? gzipSync('') : Buffer.from('PGDMP'))
  await expect(restore(place, foreign)).rejects.toThrow(
    settings.databaseUrl ? /unset DATABASE_URL/ : /set DATABASE_URL to an empty database/,
  )
  const bytes = readFileSync(file)
  await expect(restore(place, odd('half', bytes.subarray(0, bytes.length / 2)))).rejects.toThrow(
    /half|could not read|end of file/,
  )
  // nothing was restored, so that a complete backup can be
  await restore(place, file)
})

test('a backup of a folder is refused while a process uses it, and if it has no database', async () => {
  const place = { ...(await newPlace()), databaseUrl: undefined }
  await expect(backUp(place, join(place.dataDir, 'backup'))).rejects.toThrow(
    /there is no database in DATA_DIR/,
  )
  const database = await openDatabase(place)
  await expect(backUp(place, join(place.dataDir, 'backup'))).rejects.toThrow(
    /is in use by the embedded database of process \d+/,
  )
  await database.close()
  await backUp(place, join(place.dataDir, 'backup'))
})

test('an archive with a path outside of the folder is refused', async () => {
  const place = { ...(await newPlace()), databaseUrl: undefined }
  for (const name of ['../escaped', '/tmp/escaped', 'base/../../escaped']) {
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write('00000000001', 124)
    header.write('0', 156)
    const evil = join(place.dataDir, randomBytes(4).toString('hex'))
    writeFileSync(evil, gzipSync(Buffer.concat([header, randomBytes(512), Buffer.alloc(1024)])))
    await expect(restore(place, evil)).rejects.toThrow(/it is not a backup of the embedded database/)
  }
})
