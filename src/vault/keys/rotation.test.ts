import { randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import {
  byId,
  openCards,
  openVaultDatabase,
  replaceCard,
  type StoredCard,
  storeCard,
  type VaultDatabase,
} from '../../../test/support/domains/vault.ts'
import { startKms } from '../../../test/support/kms.ts'
import { systemClock } from '../../base/clock.ts'
import { readSettings } from '../../settings.ts'
import { storeSecurityCode, takeSecurityCode } from '../secrets/security-code.ts'
import type { KeyProvider } from './key-provider.ts'
import { keyIdOf, localKeys } from './local-keys.ts'
import { openMasterKeys } from './master-keys.ts'
import { rootSecret } from './root-secret.ts'
import { envelopeTables, rewrapAll, secretsByKey } from './rotation.ts'

let database: VaultDatabase
beforeAll(async () => {
  database = await openVaultDatabase()
  return database.remove
})

const [older, newer] = [randomBytes(32), randomBytes(32)]
const before = localKeys([older])
const during = localKeys([newer, older])
const after = localKeys([newer])
const newerId = keyIdOf(newer)
const root = (keys: KeyProvider) => rootSecret(database.db, keys, async () => randomBytes(32))
const vault = (keys: KeyProvider) => ({ ...database, keys })

beforeEach(async () => {
  await database.db.deleteFrom('payment_methods').execute()
  await database.db.deleteFrom('root_secret').execute()
})

async function storeCards(count: number, keys = before): Promise<StoredCard[]> {
  const stored: StoredCard[] = []
  for (let card = 0; card < count; card++)
    stored.push(await storeCard(database, keys, `4111 ${card}`, card % 2 ? 'berlin' : 'paris'))
  return stored.sort(byId)
}
const numbersOf = (cards: StoredCard[]) => cards.map(({ account, id, number }) => ({ account, id, number }))

test('a rotation covers every table with envelopes, and each has the columns that it needs', async () => {
  const rows = await database.run<{ name: string; columns: string[] }>(
    `select table_name as name, array_agg(column_name || ' ' || data_type order by column_name)::text[] as columns
       from information_schema.columns where table_schema = 'public' group by table_name`,
    [],
  )
  const sealed = rows.filter(({ columns }) => columns.some((column) => /^(?:data_key|sealed) /.test(column)))
  expect(sealed.map(({ name }) => name).sort()).toEqual([...envelopeTables].sort())
  for (const { columns } of sealed)
    expect(columns).toEqual(
      expect.arrayContaining([
        'merchant_account_id text',
        'id uuid',
        'key_id text',
        'data_key bytea',
        'sealed bytea',
      ]),
    )
})

test('after a rotation everything opens with the new key alone, and only the data keys were written', async () => {
  const secret = await root(before)
  const cards = await storeCards(7)
  const content = () =>
    database.db.selectFrom('payment_methods').select(['id', 'sealed', 'updated_at']).orderBy('id').execute()
  const untouched = await content()
  expect(await rewrapAll(vault(during), { batch: 3 })).toEqual({
    keyId: newerId,
    rewrapped: 8,
    lost: new Map(),
    stopped: false,
  })
  expect(numbersOf(await openCards(database, after))).toEqual(cards)
  expect(await root(after)).toEqual(secret)
  expect(await content()).toEqual(untouched)
  expect(await secretsByKey(database)).toEqual(new Map([[newerId, 8]]))
})

test('a rotation that is killed after any batch, any number of times, loses nothing and is completed by the next run', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
      async (count, batch, kills) => {
        await database.db.deleteFrom('payment_methods').execute()
        const cards = await storeCards(count)
        for (const batches of kills) {
          let left = batches
          const progress = () => {
            if (--left === 0) throw new Error('killed')
          }
          await rewrapAll(vault(during), { batch, progress }).catch((error) =>
            expect(error.message).toBe('killed'),
          )
          expect(numbersOf(await openCards(database, during))).toEqual(cards)
        }
        expect(await rewrapAll(vault(during), { batch })).toMatchObject({ stopped: false, lost: new Map() })
        expect(numbersOf(await openCards(database, after))).toEqual(cards)
      },
    ),
    { numRuns: 12 },
  )
})

test('a stored security code opens after a rotation', async () => {
  const id = randomUUID()
  await storeSecurityCode(vault(before), 'berlin', id, '123', new Date(Date.now() + 3_600_000).toISOString())
  expect(await rewrapAll(vault(during))).toMatchObject({ rewrapped: 1, lost: new Map() })
  expect(await takeSecurityCode({ ...vault(after), clock: systemClock }, 'berlin', id)).toBe('123')
})

test('a rotation that gets a stop signal stops after the current batch, and says so', async () => {
  const cards = await storeCards(5)
  const stop = new AbortController()
  const rotation = await rewrapAll(vault(during), {
    batch: 2,
    signal: stop.signal,
    progress: () => stop.abort(),
  })
  expect(rotation).toMatchObject({ rewrapped: 2, stopped: true })
  expect(numbersOf(await openCards(database, during))).toEqual(cards)
  expect(await rewrapAll(vault(during))).toMatchObject({ rewrapped: 3, stopped: false })
})

test('a card that is sealed again while a rotation has read its row keeps its new data key', async () => {
  const [card, other] = await storeCards(2)
  if (!card || !other) throw new Error('two cards are stored')
  let replaced: StoredCard | undefined
  const interfering: KeyProvider = {
    ...during,
    async wrap(dataKey, context) {
      // under the old master key, by a process that has not read the new one yet
      if (!replaced && context.includes(card.id))
        replaced = await replaceCard(database, before, card, '5555 0')
      return during.wrap(dataKey, context)
    },
  }
  await rewrapAll(vault(interfering))
  expect(numbersOf(await openCards(database, after))).toEqual([replaced, other])
})

test('cards that are stored, replaced and deleted during a rotation are neither lost nor left under the old key', async () => {
  const shelves = await Promise.all([storeCards(15), storeCards(15)])
  let writing = true
  // the first writer does not read the new key until the rotation is over
  const write = async (keys: KeyProvider, shelf: StoredCard[]) => {
    for (let round = 0; writing; round++) {
      shelf.push(await storeCard(database, keys, `5555 ${round}`))
      const at = (round * 7) % shelf.length
      const card = shelf[at]
      if (!card) continue
      if (round % 5 === 0) {
        shelf.splice(at, 1)
        await database.db.deleteFrom('payment_methods').where('id', '=', card.id).execute()
      } else shelf[at] = await replaceCard(database, keys, card, `6011 ${round}`)
    }
  }
  const writers = [before, during].map((keys, index) => write(keys, shelves[index] ?? []))
  const stop = new AbortController()
  let batches = 0
  await rewrapAll(vault(during), {
    batch: 3,
    signal: stop.signal,
    progress: () => ++batches === 40 && stop.abort(),
  })
  writing = false
  await Promise.all(writers)
  const cards = shelves.flat().sort(byId)
  expect(numbersOf(await openCards(database, during))).toEqual(cards)
  await rewrapAll(vault(during))
  expect(numbersOf(await openCards(database, after))).toEqual(cards)
})

test('secrets whose key is not available are counted and left as they are, and the others are rotated', async () => {
  const missing = localKeys([randomBytes(32)])
  await storeCards(3, missing)
  await storeCards(4)
  const keyId = await missing.currentKeyId()
  expect(await rewrapAll(vault(during), { batch: 2 })).toEqual({
    keyId: newerId,
    rewrapped: 4,
    lost: new Map([[keyId, 3]]),
    stopped: false,
  })
  expect(await secretsByKey(database)).toEqual(
    new Map([
      [keyId, 3],
      [newerId, 4],
    ]),
  )
})

test('secrets move to a key service, follow its new versions, and survive its failure half-way', async () => {
  const kms = await startKms()
  const ENCRYPTION_KEY = older.toString('base64')
  const both = await openMasterKeys(readSettings({ ENCRYPTION_KEY, ...kms.env }))
  const alone = await openMasterKeys(readSettings({ DATA_DIR: '/nowhere', ...kms.env }))
  const secret = await root(before)
  const cards = await storeCards(6)
  await expect(
    rewrapAll(vault(both.keys), { batch: 2, progress: () => kms.fail('reset') }),
  ).rejects.toMatchObject({ status: 503 })
  kms.fail(undefined)
  expect(numbersOf(await openCards(database, both.keys))).toEqual(cards)
  expect(await rewrapAll(vault(both.keys), { batch: 2 })).toMatchObject({
    keyId: 'railyard:v1',
    rewrapped: 4,
  })
  // the service rotates its key during our rotation
  kms.rotate()
  let rotated = false
  const progress = () => {
    if (!rotated) kms.rotate()
    rotated = true
  }
  expect(await rewrapAll(vault(alone.keys), { batch: 2, progress })).toMatchObject({
    keyId: 'railyard:v3',
    stopped: false,
  })
  expect(await secretsByKey(database)).toEqual(new Map([['railyard:v3', 7]]))
  expect(numbersOf(await openCards(database, alone.keys))).toEqual(cards)
  expect(await root(alone.keys)).toEqual(secret)
  await Promise.all([both.close(), alone.close()])
})
