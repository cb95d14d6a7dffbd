import type { Settings } from '../../settings.ts'
import { keyFileOf } from '../../vault/keys/key-file.ts'
import type { World } from '../../world.ts'

const NOTICE = 'This is the sandbox: payment services are simulated, and no money moves. For real payments set RAILYARD_ENV=production'

/** Says at each start of a sandbox what it is and what it uses: a deployment that was not told its environment is a sandbox, too. */
export function warnOfSandbox({ settings, log }: Pick<World, 'settings' | 'log'>): void {
  if (settings.environment !== 'sandbox') return
  log.warn({ database: databaseOf(settings), encryption_key: keyOf(settings) }, NOTICE)
}

/** The same for a person; empty in production. */
export const sandboxLines = (settings: Settings): string[] =>
  settings.environment === 'sandbox' ? [NOTICE, '', `  Database   ${databaseOf(settings)}`, `  Encrypted  with ${keyOf(settings)}`] : []

/** Without the user, the password and the parameters, which may be a password, too. */
function databaseOf({ databaseUrl, dataDir }: Settings): string {
  if (!databaseUrl) return `embedded database in ${dataDir}`
  const { host, pathname } = new URL(databaseUrl)
  return `PostgreSQL ${host}${pathname}`
}

const keyOf = (settings: Settings): string =>
  settings.kmsUrl ? 'the key of KMS_URL' : settings.encryptionKey ? 'ENCRYPTION_KEY' : keyFileOf(settings)
