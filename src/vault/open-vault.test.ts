import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startKms } from '../../test/support/kms.ts'
import { type Cipher, createCipher } from '../base/cipher.ts'
import type { Database } from '../database/database.ts'
import { openInMemory } from '../database/embedded/in-memory.ts'
import { readSettings } from '../settings.ts'
import { rewrapAll } from './keys/rotation.ts'
import { openVault } from './open-vault.ts'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')

interface TestDatabase extends Database {
  dataDir: string
  openWith(env: Record<string, string>): ReturnType<typeof openVault>
  cipherWith(encryptionKey: string): Promise<Cipher>
}

async function database(): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'railyard-instance-'))
  const opened = await openInMemory(readSettings({ DATA_DIR: dataDir }))
  onTestFinished(async () => {
    await opened.close()
    rmSync(dataDir, { recursive: true })
  })
  const openWith = async (env: Record<string, string>) => {
    const vault = await openVault(opened.db, readSettings({ DATA_DIR: dataDir, ...env }))
    onTestFinished(vault.masterKeys.close)
    return vault
  }
  return {
    ...opened,
    dataDir,
    openWith,
    cipherWith: async (ENCRYPTION_KEY) => (await openWith({ ENCRYPTION_KEY })).cipher,
  }
}

const fingerprint = (cipher: Cipher) => cipher.mac('card-fingerprint', '4111111111111111').toString('hex')

test('an instance without an encryption check accepts the key of its next start, and no other afterwards', async () => {
  const { db, cipherWith } = await database()
  await cipherWith(key(1))
  await db.deleteFrom('encryption_check').execute()
  await db.deleteFrom('root_secret').execute()
  await cipherWith(key(2))
  await cipherWith(key(2))
  await expect(cipherWith(key(1))).rejects.toThrow(/^ENCRYPTION_KEY is not the key/)
})

test('one of two first starts with different keys is refused', async () => {
  const { cipherWith } = await database()
  const starts = await Promise.allSettled([cipherWith(key(1)), cipherWith(key(2))])
  expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('two first starts with the same key use the same root secret', async () => {
  const { cipherWith } = await database()
  const [one, other] = await Promise.all([cipherWith(key(1)), cipherWith(key(1))])
  expect(fingerprint(one)).toBe(fingerprint(other))
  expect(fingerprint(one)).not.toBe(fingerprint(createCipher(Buffer.alloc(32, 1))))
})

test('an instance without a root secret keeps its fingerprints and its sealed fields', async () => {
  const { db, run, openWith } = await database()
  const old = createCipher(Buffer.alloc(32, 1))
  const sealed = old.seal('payment-service-fields', 'sk_live', 'row')
  await db
    .insertInto('encryption_check')
    .values({ mac: old.mac('encryption-check', 'railyard') })
    .execute()
  await expect(openWith({ ENCRYPTION_KEY: key(2) })).rejects.toThrow(
    /^ENCRYPTION_KEY is not the key that this database was made with/,
  )
  // a new key may come with the new version
  const { cipher, masterKeys } = await openWith({ ENCRYPTION_KEY: `${key(2)},${key(1)}` })
  expect(fingerprint(cipher)).toBe(fingerprint(old))
  await rewrapAll({ db, run, keys: masterKeys.keys })
  const rotated = await openWith({ ENCRYPTION_KEY: key(2) })
  expect(fingerprint(rotated.cipher)).toBe(fingerprint(old))
  expect(rotated.cipher.open('payment-service-fields', sealed, 'row')).toBe('sk_live')
  await expect(openWith({ ENCRYPTION_KEY: key(1) })).rejects.toThrow(/^ENCRYPTION_KEY is not the key/)
})

test('a start reports in one line a key service that does not answer or has another key', async () => {
  const { openWith } = await database()
  const [kms, other] = [await startKms(), await startKms()]
  const { cipher } = await openWith(kms.env)
  expect(fingerprint((await openWith(kms.env)).cipher)).toBe(fingerprint(cipher))
  await expect(openWith(other.env)).rejects.toThrow(
    /^the key of KMS_URL is not the key that this database was made with/,
  )
  kms.fail(403)
  await expect(openWith(kms.env)).rejects.toThrow(
    /^the key service \(KMS_URL\) did not decrypt: it answered 403$/,
  )
})

test('a database that cannot be read is not reported as a wrong key', async () => {
  const { db, dataDir, openWith } = await database()
  await openWith({})
  await db.schema.dropTable('root_secret').execute()
  await expect(openWith({})).rejects.toThrow(/root_secret/)
  writeFileSync(join(dataDir, 'encryption_key'), 'text')
  await expect(openWith({})).rejects.toThrow(/encryption_key does not hold 32 bytes in base64/)
})
