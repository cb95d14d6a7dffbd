import { prepareDataDir } from '../base/data-dir.ts'
import { BackupRefused, backUp, restore } from '../database/backup/backup.ts'
import type { Settings } from '../settings.ts'
import { UserError } from './user-error.ts'

const KEY_APART = 'The encryption key is not in it'

/** `railyard backup`. */
export async function makeBackup(settings: Settings, file: string): Promise<void> {
  await backUp(settings, file).catch(asUserError)
  console.log(
    [
      `The whole database is in ${file}: payments, configuration, and stored cards as they are stored, encrypted.`,
      `${KEY_APART}, and nothing stored can be decrypted without it: keep ENCRYPTION_KEY (or DATA_DIR/encryption_key) too, in another place.`,
      'Also not in it: DATA_DIR/private_key.pem, which signs your tokens, and the books of the sandbox’s providers.',
    ].join('\n'),
  )
}

/** `railyard restore`. `isLookedUp`: the payment services are asked next. */
export async function restoreBackup(settings: Settings, file: string, isLookedUp: boolean): Promise<void> {
  if (!settings.databaseUrl) await prepareDataDir(settings)
  await restore(settings, file).catch(asUserError)
  console.log(
    [
      `Restored. ${KEY_APART}: start with the key that was in use when ${file} was made (ENCRYPTION_KEY, or DATA_DIR/encryption_key), or with newer ones and it among them.`,
      'What happened since the backup is not in it: payments, and idempotency keys. A request that is repeated under such a key takes effect a second time. Before you start, see',
      'docs/operations/restore.md.',
      ...(isLookedUp ? [] : ['railyard look-up asks the payment services what became of the operations that were under way then.']),
    ].join('\n'),
  )
}

function asUserError(error: unknown): never {
  throw error instanceof BackupRefused ? new UserError(error.message) : error
}
