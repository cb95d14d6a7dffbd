import { randomBytes } from 'node:crypto'
import { ApiError } from '../api/errors.ts'
import { type Cipher, createCipher } from '../base/cipher.ts'
import { InvalidSetting, type Settings } from '../settings.ts'
import type { World } from '../world.ts'
import { encryptionCheckOf, passesEncryptionCheck, readEncryptionCheck } from './keys/encryption-check.ts'
import { keyFileOf, RESTORE_KEY_HINT } from './keys/key-file.ts'
import { isMasterKeyMissing, type MasterKeys, openMasterKeys } from './keys/master-keys.ts'
import { type LoadedRootSecrets, openRootSecrets, WrongMasterKey } from './keys/root-secret.ts'

export interface Vault {
  cipher: Cipher
  rootSecrets: LoadedRootSecrets
  masterKeys: MasterKeys
}

/**
 * Opens the master keys that the settings name, and derives the instance's cipher from the root secret under
 * them. Throws `InvalidSetting` for other keys than those that the database was made with: rows of before and
 * rows of now could not be decrypted together.
 */
export async function openVault(db: World['db'], settings: Settings): Promise<Vault> {
  const check = await readEncryptionCheck(db)
  if (check && isMasterKeyMissing(settings))
    throw new InvalidSetting(
      `ENCRYPTION_KEY is unset and ${keyFileOf(settings)} is missing: this database was made with a key, ${RESTORE_KEY_HINT}`,
    )
  const masterKeys = await openMasterKeys(settings)
  try {
    const wrongKey = new InvalidSetting(
      `${masterKeys.source} is not the key that this database was made with: ${RESTORE_KEY_HINT}`,
    )
    const rootSecrets = await openRootSecrets(db, masterKeys.keys, () =>
      firstRootSecret(db, check, masterKeys),
    ).catch((error) => {
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
 * Random for a new instance. An instance that is older than root secrets keeps the secret of its cipher: the
 * master key itself. Throws `WrongMasterKey`.
 */
async function firstRootSecret(
  db: World['db'],
  check: Buffer | undefined,
  { local }: MasterKeys,
): Promise<Buffer> {
  const account = await db.selectFrom('merchant_accounts').select('id').limit(1).executeTakeFirst()
  if (!check && !account) return randomBytes(32)
  const secret = check ? local.find((key) => encryptionCheckOf(createCipher(key)).equals(check)) : local[0]
  if (!secret) throw new WrongMasterKey('none of these keys made this database')
  return secret
}
