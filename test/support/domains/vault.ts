import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../../src/database/database.ts'
import { openInMemory } from '../../../src/database/embedded/in-memory.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { readSettings, type Settings } from '../../../src/settings.ts'
import { openEnvelope, rowContext, sealEnvelope } from '../../../src/vault/envelope.ts'
import type { KeyProvider } from '../../../src/vault/keys/key-provider.ts'
import { ownDatabase } from '../railyard.ts'

export interface VaultDatabase extends Database {
  settings: Settings
  /** Closes it, and takes its files away. */
  remove(): Promise<void>
}

/** A database without a server: in memory, or one of its own on the PostgreSQL of `DATABASE_URL`. */
export async function openVaultDatabase(): Promise<VaultDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'railyard-vault-'))
  const own = await ownDatabase()
  const settings = readSettings({
    DATA_DIR: dataDir,
    ...(own && { DATABASE_URL: own.url, DATABASE_POOL_SIZE: '5' }),
  })
  const database = await openInMemory(settings)
  await migrate(database)
  return {
    ...database,
    settings,
    async remove() {
      await database.close()
      await own?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export interface StoredCard {
  account: string
  id: string
  number: string
}

/** Stores a card as a payment method; its number is a text that a search can find. */
export async function storeCard(
  { db }: Pick<Database, 'db'>,
  keys: KeyProvider,
  number: string,
  account = 'berlin',
): Promise<StoredCard> {
  const id = randomUUID()
  const envelope = await sealEnvelope({ keys }, number, rowContext('payment_methods', account, id))
  const now = new Date().toISOString()
  const card = {
    status: 'processing',
    method: 'card',
    mode: 'card',
    label: number.slice(-4),
    created_at: now,
    updated_at: now,
  }
  await db
    .insertInto('payment_methods')
    .values({ merchant_account_id: account, id, ...card, ...envelope })
    .execute()
  return { account, id, number }
}

/** Seals the card of a row anew, as an account updater does. */
export async function replaceCard(
  { db }: Pick<Database, 'db'>,
  keys: KeyProvider,
  { account, id }: StoredCard,
  number: string,
): Promise<StoredCard> {
  const envelope = await sealEnvelope({ keys }, number, rowContext('payment_methods', account, id))
  await db
    .updateTable('payment_methods')
    .set(envelope)
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .execute()
  return { account, id, number }
}

/** The stored cards as they open with these keys, with the master key that each is under. */
export async function openCards(
  { db }: Pick<Database, 'db'>,
  keys: KeyProvider,
): Promise<(StoredCard & { keyId: string })[]> {
  const rows = await db
    .selectFrom('payment_methods')
    .select(['merchant_account_id', 'id', 'key_id', 'data_key', 'sealed'])
    .orderBy('id')
    .execute()
  const opened = rows.map(async ({ merchant_account_id: account, id, key_id, data_key, sealed }) => {
    if (!key_id || !data_key || !sealed) return []
    const number = await openEnvelope(
      { keys },
      { key_id, data_key, sealed },
      rowContext('payment_methods', account, id),
    )
    return [{ account, id, number, keyId: key_id }]
  })
  return (await Promise.all(opened)).flat()
}

export const byId = (one: StoredCard, other: StoredCard) => (one.id < other.id ? -1 : 1)
