import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { insertKeyPair } from '../accounts/api-keys/api-key-pair.store.ts'
import { generateKey, readSigner } from '../accounts/api-keys/private-key.ts'
import { ApiError } from '../api/errors.ts'
import { type Cipher, createCipher } from '../base/cipher.ts'
import { timeOf } from '../base/clock.ts'
import { writeSecretOnce } from '../base/data-dir.ts'
import type { FieldValues } from '../connectors/fields.ts'
import type { Changes } from '../database/changes.ts'
import { insertGiftCardService } from '../gift-cards/services/gift-card-service.store.ts'
import { supportedCountries, supportedCurrencies } from '../payment-services/definitions/definition.ts'
import { insertPaymentService } from '../payment-services/payment-service.store.ts'
import { newServiceSettings } from '../payment-services/payment-service.ts'
import { InvalidSetting, type Settings } from '../settings.ts'
import { loadBins, sandboxBins } from '../vault/cards/bin-import.ts'
import { encryptionCheckOf, passesEncryptionCheck, readEncryptionCheck } from '../vault/keys/encryption-check.ts'
import { keyFileOf, RESTORE_KEY_HINT } from '../vault/keys/key-file.ts'
import { isMasterKeyMissing, type MasterKeys, openMasterKeys } from '../vault/keys/master-keys.ts'
import { type LoadedRootSecrets, openRootSecrets, WrongMasterKey } from '../vault/keys/root-secret.ts'
import type { World } from '../world.ts'

/** The file that holds the private key of an instance's first key pair. */
export const privateKeyFile = ({ dataDir }: Pick<Settings, 'dataDir'>) => join(dataDir, 'private_key.pem')

export interface Vault {
  cipher: Cipher
  rootSecrets: LoadedRootSecrets
  masterKeys: MasterKeys
}

/**
 * The master keys that the settings name, and the instance's cipher, which comes from the root secret under them. The database knows what the cipher
 * makes of a text: other keys are refused here, since what they seal and what was sealed before could not be opened together.
 */
export async function openVault(db: World['db'], settings: Settings): Promise<Vault> {
  const check = await readEncryptionCheck(db)
  if (check && isMasterKeyMissing(settings))
    throw new InvalidSetting(`ENCRYPTION_KEY is unset and ${keyFileOf(settings)} is missing: this database was made with a key, ${RESTORE_KEY_HINT}`)
  const masterKeys = await openMasterKeys(settings)
  try {
    const wrongKey = new InvalidSetting(`${masterKeys.source} is not the key that this database was made with: ${RESTORE_KEY_HINT}`)
    const rootSecrets = await openRootSecrets(db, masterKeys.keys, () => firstRootSecret(db, check, masterKeys)).catch((error) => {
      if (error instanceof WrongMasterKey) throw wrongKey
      throw error instanceof ApiError ? new InvalidSetting(error.reason ?? error.message) : error
    })
    const cipher = createCipher(rootSecrets)
    if (await passesEncryptionCheck(db, cipher)) return { cipher, rootSecrets, masterKeys }
    throw wrongKey
  } catch (error) {
    await masterKeys.close()
    throw error
  }
}

/**
 * A database is of the environment that it was first started in: in the other one its payment services do not exist, and a sandbox gives away what production keeps.
 * Throws `InvalidSetting`.
 */
export async function refuseOtherEnvironment(db: World['db'], { environment }: Pick<Settings, 'environment'>): Promise<void> {
  const known = (await readEnvironment(db)) ?? (await firstEnvironment(db, environment))
  if (known !== environment)
    throw new InvalidSetting(
      `this database is of RAILYARD_ENV=${known}, and this start is of ${environment}: set RAILYARD_ENV, or use another database`,
    )
}

const readEnvironment = async (db: World['db']): Promise<Settings['environment'] | undefined> =>
  (await db.selectFrom('instance_environment').select('environment').executeTakeFirst())?.environment

/** Of two first starts one decides. */
async function firstEnvironment(db: World['db'], environment: Settings['environment']): Promise<Settings['environment'] | undefined> {
  await db
    .insertInto('instance_environment')
    .values({ environment })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return readEnvironment(db)
}

/** A new instance draws its root secret. One of before there was any keeps what its cipher came from: the master key itself. */
async function firstRootSecret(db: World['db'], check: Buffer | undefined, { local }: MasterKeys): Promise<Buffer> {
  const account = await db.selectFrom('merchant_accounts').select('id').limit(1).executeTakeFirst()
  if (!check && !account) return randomBytes(32)
  const made = check ? local.find((key) => encryptionCheckOf(createCipher(key)).equals(check)) : local[0]
  if (!made) throw new WrongMasterKey('none of these keys made this database')
  return made
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
    await insertKeyPair({ ...world, db, changes: noChanges }, pair)
    if (world.settings.environment === 'sandbox') {
      await loadBins(db, sandboxBins)
      await insertSandboxServices({ ...world, db, changes: noChanges }, 'default')
    }
    return true
  })
  for (const topic of ['merchant_accounts', 'api_key_pairs', 'payment_services', 'gift_card_services', 'bins'] as const)
    world.changes.invalidate(topic)
  return created
}

/** Within the transaction nothing is forgotten: nobody could see it yet. */
const noChanges: Changes = { invalidate: () => undefined, subscribe: () => undefined, isReliable: true, close: async () => undefined }

/** The key pair of `DATA_DIR/private_key.pem`; a start that died half-way left its file, and it is used. */
async function firstKey(settings: Settings) {
  const file = privateKeyFile(settings)
  await writeSecretOnce(file, (await generateKey('ES512')).privateKeyPem)
  const { algorithm, thumbprint, publicJwk } = await readSigner(await readFile(file, 'utf8'))
  return { algorithm, thumbprint, publicJwk }
}

/** The payment services of the sandbox, by their definitions: what each of them needs to be paid with at once. */
const sandboxServices: Record<string, FieldValues> = {
  'mock-card': { merchant_id: 'sandbox' },
  'wallet-wallet': { client_id: 'sandbox', client_secret: 'sandbox', environment: 'simulator', webhook_id: 'sandbox' },
  'bnpl-bnpl': { username: 'sandbox', password: 'sandbox', client_id: 'sandbox', environment: 'simulator' },
}

/** A payment service of each kind for a merchant account, and one for gift cards. Answers the payment services' ids by those of their definitions. */
export async function insertSandboxServices(world: World, account: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
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
    const { id: service } = await insertPaymentService(world, account, definition, settings)
    ids.set(id, service)
  }
  const giftCards = world.giftCardConnectors.get('mock-gift-card')?.definition
  if (giftCards) {
    const settings = { display_name: giftCards.displayName, active: true, values: { api_key: 'sandbox' } }
    await insertGiftCardService(world, account, giftCards, settings)
  }
  return ids
}
