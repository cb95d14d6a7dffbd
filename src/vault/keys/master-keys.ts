import { existsSync } from 'node:fs'
import { providerHttp } from '../../connectors/wire/http.ts'
import { InvalidSetting, type Settings } from '../../settings.ts'
import { keyFileOf, keyFileReader, makeKeyFile, readKeyFile } from './key-file.ts'
import type { KeyProvider } from './key-provider.ts'
import { type KmsOptions, kmsKeys } from './kms-keys.ts'
import { keyIdOf, localKeys } from './local-keys.ts'

/** The master keys of the settings. */
export interface MasterKeys {
  keys: KeyProvider
  /** The keys in this process, the newest first; beside a key service: the keys from before it was set up. */
  local: readonly Buffer[]
  /** Where the key that wraps is, for an operator: the name of a setting or of a file. */
  source: string
  /** The file that has the key that wraps; undefined: it is not in a file. */
  file: string | undefined
  close(): Promise<void>
}

const KMS_TIMEOUT_MS = 5_000

/** Whether the settings name no key and the key file does not exist. */
export const isMasterKeyMissing = (settings: Settings): boolean =>
  !settings.encryptionKey && !settings.kmsUrl && !existsSync(keyFileOf(settings))

/**
 * Opens the keys of `KMS_URL`, else `ENCRYPTION_KEY`, else the file in `DATA_DIR`, which is made if it does
 * not exist. Throws `InvalidSetting`.
 */
export async function openMasterKeys(settings: Settings): Promise<MasterKeys> {
  const file = keyFileOf(settings)
  if (settings.kmsUrl) return openKms(settings, kmsOptions(settings, settings.kmsUrl))
  if (settings.encryptionKey) {
    const local = keysOf(settings.encryptionKey)
    return {
      keys: localKeys(local),
      local,
      source: 'ENCRYPTION_KEY',
      file: undefined,
      close: async () => undefined,
    }
  }
  await makeKeyFile(file)
  const local = await readKeyFile(file)
  return { keys: localKeys(keyFileReader(file)), local, source: file, file, close: async () => undefined }
}

const keysOf = (list: string): readonly Buffer[] => list.split(',').map((key) => Buffer.from(key, 'base64'))

function kmsOptions({ kmsKeyId, kmsToken }: Settings, url: string): KmsOptions {
  if (!kmsKeyId) throw new InvalidSetting('KMS_KEY_ID must be set with KMS_URL: the name of the key')
  if (!kmsToken) throw new InvalidSetting('KMS_TOKEN must be set with KMS_URL: the bearer token for it')
  return { url, keyId: kmsKeyId, token: kmsToken }
}

/**
 * What was wrapped before the key service was set up is unwrapped with the local keys, while they are
 * configured.
 */
async function openKms(settings: Settings, options: KmsOptions): Promise<MasterKeys> {
  const file = keyFileOf(settings)
  const local = settings.encryptionKey
    ? keysOf(settings.encryptionKey)
    : existsSync(file)
      ? await readKeyFile(file)
      : []
  const earlier = localKeys(local)
  const earlierIds = new Set(local.map(keyIdOf))
  const http = providerHttp(KMS_TIMEOUT_MS)
  const kms = kmsKeys(http, options)
  const keys: KeyProvider = {
    ...kms,
    names: async () => [...(await kms.names()), ...earlierIds],
    unwrap: (key, context) => (earlierIds.has(key.keyId) ? earlier : kms).unwrap(key, context),
  }
  return { keys, local, source: 'the key of KMS_URL', file: undefined, close: http.close }
}
