import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { insertKeyPair } from './accounts/api-key-pair.store.ts'
import { generateKey, readSigner } from './accounts/private-key.ts'
import { type Cipher, createCipher } from './cipher.ts'
import type { FieldValues } from './connectors/fields.ts'
import { insertGiftCardService } from './gift-cards/gift-card-service.store.ts'
import { supportedCountries, supportedCurrencies } from './payment-services/definition.ts'
import { insertPaymentService } from './payment-services/payment-service.store.ts'
import { newServiceSettings } from './payment-services/payment-service.ts'
import { InvalidSetting, type Settings } from './settings.ts'
import { timeOf, type World } from './world.ts'

/** The file that holds the private key of an instance's first key pair. */
export const privateKeyFile = ({ dataDir }: Pick<Settings, 'dataDir'>) => join(dataDir, 'private_key.pem')

const encryptionKeyFile = ({ dataDir }: Pick<Settings, 'dataDir'>) => join(dataDir, 'encryption_key')

/**
 * The instance's cipher. The database knows what the key makes of a text: another key is refused here, since what it seals and what was sealed
 * before could not be opened together. An instance of before there was this check takes the key that it is started with.
 */
export async function instanceCipher(db: World['db'], settings: Settings): Promise<Cipher> {
  const known = () => db.selectFrom('encryption_check').select('mac').executeTakeFirst()
  const before = await known()
  if (before && !settings.encryptionKey && !existsSync(encryptionKeyFile(settings)))
    throw new InvalidSetting(
      `ENCRYPTION_KEY is unset and ${encryptionKeyFile(settings)} is missing: this database was made with a key, ${PUT_IT_BACK}`,
    )
  const cipher = createCipher(await masterKey(settings))
  const mac = cipher.mac('encryption-check', 'railyard')
  if (!before)
    await db
      .insertInto('encryption_check')
      .values({ mac })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  // read again where it was absent: of two first starts only one wrote it
  if ((before ?? (await known()))?.mac.equals(mac)) return cipher
  const source = settings.encryptionKey ? 'ENCRYPTION_KEY' : encryptionKeyFile(settings)
  throw new InvalidSetting(`${source} is not the key that this database was made with: ${PUT_IT_BACK}`)
}

const PUT_IT_BACK = 'put the original back (ENCRYPTION_KEY, or the file encryption_key in DATA_DIR), without it nothing can be decrypted'

/** The key that everything else is derived from: `ENCRYPTION_KEY`, or the one in `DATA_DIR`, made at the first start. */
export async function masterKey(settings: Settings): Promise<Buffer> {
  if (settings.encryptionKey) return Buffer.from(settings.encryptionKey, 'base64')
  const file = encryptionKeyFile(settings)
  await writeSecretOnce(file, randomBytes(32).toString('base64'))
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
  if (key.length !== 32) throw new InvalidSetting(`${file} does not hold 32 bytes in base64: ${PUT_IT_BACK}`)
  return key
}

/** Writes a file that only its owner may read, and reaches the disk; one that is there stays as it is. */
async function writeSecretOnce(file: string, content: string): Promise<void> {
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile(`${content.trimEnd()}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    await chmod(file, 0o600)
  }
}

/**
 * What a new instance begins with: the merchant account `default`, an administrator's key pair (its private key goes to `DATA_DIR`), and in the
 * sandbox a payment service of each kind and one for gift cards, so that the first payment needs no configuration. Answers false where there is one already.
 */
export async function createInstance(world: World): Promise<boolean> {
  const known = await world.db.selectFrom('merchant_accounts').select('id').where('id', '=', 'default').executeTakeFirst()
  if (known) return false
  const key = await firstKey(world.settings)
  const now = timeOf(world.clock)
  const created = await world.db.transaction().execute(async (db) => {
    const account = await db
      .insertInto('merchant_accounts')
      .values({
        id: 'default',
        display_name: 'Default',
        account_updater_enabled: false,
        async_network_tokens_enabled: false,
        identifiers: '{}',
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!account) return false
    const pair = { displayName: 'First key', ...key, roleIds: ['administrator'], merchantAccountIds: [] }
    await insertKeyPair({ ...world, db, changes: silent }, pair)
    if (world.settings.environment === 'sandbox') await addSandboxServices({ ...world, db, changes: silent })
    return true
  })
  for (const topic of ['merchant_accounts', 'api_key_pairs', 'payment_services', 'gift_card_services'] as const) await world.changes.announce(topic)
  return created
}

/** Within the transaction nothing is announced: nobody could see it yet. */
const silent = { announce: async () => undefined, subscribe: () => undefined, reliable: true, close: async () => undefined }

/** The key pair of `DATA_DIR/private_key.pem`; a start that died half-way left its file, and it is used. */
async function firstKey(settings: Settings) {
  const file = privateKeyFile(settings)
  await writeSecretOnce(file, (await generateKey('ES512')).privateKeyPem)
  const { algorithm, thumbprint, publicJwk } = await readSigner(await readFile(file, 'utf8'))
  return { algorithm, thumbprint, publicJwk }
}

/** The payment services of a new sandbox, by their definitions: what each of them needs to be paid with at once. */
const sandboxServices: Record<string, FieldValues> = {
  'mock-card': { merchant_id: 'sandbox' },
  'wallet-wallet': { client_id: 'sandbox', client_secret: 'sandbox', environment: 'simulator', webhook_id: 'sandbox' },
  'bnpl-bnpl': { username: 'sandbox', password: 'sandbox', client_id: 'sandbox', environment: 'simulator' },
}

async function addSandboxServices(world: World): Promise<void> {
  for (const [id, values] of Object.entries(sandboxServices)) {
    const definition = world.connectors.get(id)?.definition
    if (!definition) continue
    const accepted_currencies = [...supportedCurrencies(definition)]
    const accepted_countries = [...supportedCountries(definition)]
    const settings = {
      ...newServiceSettings(definition),
      display_name: definition.displayName,
      accepted_currencies,
      accepted_countries,
      open_loop: false,
      values,
    }
    await insertPaymentService(world, 'default', definition, settings)
  }
  const giftCards = world.giftCardConnectors.get('mock-gift-card')?.definition
  if (giftCards) {
    const settings = { display_name: giftCards.displayName, active: true, values: { api_key: 'sandbox' } }
    await insertGiftCardService(world, 'default', giftCards, settings)
  }
}
