import { prepareDataDir } from '../base/data-dir.ts'
import { BackupRefused, backUp, restore } from '../database/backup/backup.ts'
import type { Settings } from '../settings.ts'
import { requireInstance } from './support/command-database.ts'
import { UserError } from './support/user-error.ts'

const WITHOUT_KEY = 'The encryption key is not in it'

/** `railyard backup`: writes the database into a file. */
export async function makeBackup(settings: Settings, file: string): Promise<void> {
  await requireInstance(settings)
  await backUp(settings, file).catch(asUserError)
  console.log(
    [
      `The whole database is in ${file}: payments, configuration, and stored cards as they are stored, encrypted.`,
      `${WITHOUT_KEY}, and nothing stored can be decrypted without it: keep ENCRYPTION_KEY (or DATA_DIR/encryption_key) too, in another place.`,
      'Also not in it: DATA_DIR/private_key.pem, which signs your tokens, and the books of the sandbox’s providers.',
    ].join('\n'),
  )
}

/**
 * `railyard restore`: fills an empty database from a backup. `looksUp`: the command goes on with `railyard
 * look-up`.
 */
export async function restoreBackup(settings: Settings, file: string, looksUp: boolean): Promise<void> {
  if (!settings.databaseUrl) await prepareDataDir(settings)
  await restore(settings, file).catch(asUserError)
  console.log(
    [
      `Restored. ${WITHOUT_KEY}: start with the key that was in use when ${file} was made (ENCRYPTION_KEY, or DATA_DIR/encryption_key), or with newer ones and it among them.`,
      'What happened since the backup is not in it: payments, and idempotency keys. A request that is repeated under such a key takes effect a second time. Before you start, see',
      'docs/operations/restore.md.',
      ...(looksUp
        ? []
        : [
            'railyard look-up asks the payment services for the outcome of the operations that were in progress then.',
          ]),
    ].join('\n'),
  )
}

function asUserError(error: unknown): never {
  throw error instanceof BackupRefused ? new UserError(error.message) : error
}
