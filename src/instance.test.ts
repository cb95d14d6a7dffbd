import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Database, migrate, openDatabase } from './database/database.ts'
import { openVault } from './instance.ts'
import { readSettings } from './settings.ts'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')

async function database(): Promise<Database & { cipherWith(encryptionKey: string): Promise<unknown> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'railyard-instance-'))
  const opened = await openDatabase(readSettings({ DATA_DIR: dataDir }), { inMemory: true })
  await migrate(opened)
  onTestFinished(async () => {
    await opened.close()
    rmSync(dataDir, { recursive: true })
  })
  return { ...opened, cipherWith: (ENCRYPTION_KEY) => openVault(opened.db, readSettings({ DATA_DIR: dataDir, ENCRYPTION_KEY })) }
}

test('an instance of before there was a check takes the key that it is started with, and no other afterwards', async () => {
  const { db, cipherWith } = await database()
  await cipherWith(key(1))
  await db.deleteFrom('encryption_check').execute()
  await db.deleteFrom('root_secret').execute()
  await cipherWith(key(2))
  await cipherWith(key(2))
  await expect(cipherWith(key(1))).rejects.toThrow(/^ENCRYPTION_KEY is not the key/)
})

test('of two first starts with different keys one is refused', async () => {
  const { cipherWith } = await database()
  const starts = await Promise.allSettled([cipherWith(key(1)), cipherWith(key(2))])
  expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})
