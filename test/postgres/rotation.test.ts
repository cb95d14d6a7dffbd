import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { readKeyFile } from '../../src/vault/keys/key-file.ts'
import { keyIdOf, localKeys } from '../../src/vault/keys/local-keys.ts'
import { rewrapAll, secretsByKey } from '../../src/vault/keys/rotation.ts'
import { launch } from '../crash/process.ts'
import { byId, openCards, openVaultDatabase, storeCard } from '../support/domains/vault.ts'
import { startTestRailyard, type TestRailyard } from '../support/railyard.ts'

test('a rotation neither waits for a row that a payment has locked, nor blocks the payment, nor skips the row for good', async () => {
  const database = await openVaultDatabase()
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  const payment = new pg.Client({ connectionString: database.settings.databaseUrl })
  await payment.connect()
  onTestFinished(async () => {
    await payment.end()
    await database.remove()
  })
  const cards = await Promise.all(
    ['4111 1', '4111 2', '4111 3'].map((number) => storeCard(database, localKeys([older]), number)),
  )
  await payment.query('begin')
  const [, second] = cards
  await payment.query('select 1 from payment_methods where merchant_account_id = $1 and id = $2 for update', [
    second?.account,
    second?.id,
  ])
  const counts: number[] = []
  const progress = async (_table: string, rewrapped: number) => {
    counts.push(rewrapped)
    if (rewrapped === 2) await payment.query('commit')
  }
  await rewrapAll({ ...database, keys: localKeys([newer, older]) }, { progress })
  expect(counts[0]).toBe(2)
  expect((await openCards(database, localKeys([newer]))).map(({ keyId, ...card }) => card)).toEqual(
    cards.sort(byId),
  )
})

const rotate = ({ world }: TestRailyard, ...options: string[]) => {
  const { databaseUrl = '', dataDir } = world.settings
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, DATABASE_POOL_SIZE: '3' }
  return launch(['src/main.js', 'keys', 'rotate-encryption', ...options], env, /(?:Made|to) the key (\w+)/)
}

test('a process serves while another rotates the key, is killed and starts again: it follows the new key, and every card opens', async () => {
  const railyard = await startTestRailyard()
  onTestFinished(railyard.close)
  const { world } = railyard
  const merchant = await railyard.merchant()
  const cards = await Promise.all(
    Array.from({ length: 1_500 }, (_, card) => storeCard(world, world.keys, `4111 ${card}`)),
  )
  const first = await world.keys.currentKeyId()

  const killed = rotate(railyard)
  const { url: second } = await killed.ready
  killed.kill()
  await killed.ended
  cards.push(await storeCard(world, world.keys, '5555 0'))
  expect(await world.keys.currentKeyId()).toBe(second)
  expect((await merchant.get('/payment-services')).status).toBe(200)
  expect(await openCards(world, world.keys)).toHaveLength(cards.length)

  expect(await rotate(railyard).ended).toMatchObject({ code: 0 })
  const [newest = Buffer.alloc(0)] = await readKeyFile(`${world.settings.dataDir}/encryption_key`)
  expect(keyIdOf(newest)).not.toBe(first)
  expect(await secretsByKey(world)).toEqual(new Map([[keyIdOf(newest), 1 + cards.length]]))
  expect((await openCards(world, localKeys([newest]))).map(({ keyId, ...card }) => card)).toEqual(
    cards.sort(byId),
  )
})

test('a rotation with a key that is not the one of the database is refused, ends, and leaves the lock to the next one', async () => {
  const railyard = await startTestRailyard()
  onTestFinished(railyard.close)
  const { databaseUrl = '', dataDir } = railyard.world.settings
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  }
  expect(await launch(['src/main.js', 'keys', 'rotate-encryption'], env, /(?!)/).ended).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^railyard: ENCRYPTION_KEY is not the key that this database was made with: .*\n$/,
    ),
  })
  expect(await rotate(railyard).ended).toMatchObject({ code: 0 })
})

test('a second concurrent rotation is refused', async () => {
  const railyard = await startTestRailyard()
  const holder = new pg.Client({ connectionString: railyard.world.settings.databaseUrl })
  await holder.connect()
  onTestFinished(async () => {
    await holder.end()
    await railyard.close()
  })
  await holder.query("select pg_advisory_lock(hashtextextended('railyard rotation', 0))")
  expect(await rotate(railyard).ended).toEqual({
    code: 1,
    output: 'railyard: another rotation is running on this database\n',
  })
})
