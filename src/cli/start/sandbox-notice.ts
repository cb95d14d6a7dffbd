import { databaseName } from '../../database/postgres/hosts.ts'
import type { Settings } from '../../settings.ts'
import { keyFileOf } from '../../vault/keys/key-file.ts'
import type { World } from '../../world.ts'

const NOTICE =
  'This is the sandbox: payment services are simulated, and no money moves. For real payments set RAILYARD_ENV=production'

/**
 * Logs at each start of a sandbox that it is one, with its database and key: a deployment without
 * RAILYARD_ENV is a sandbox, too.
 */
export function warnOfSandbox({ settings, log }: Pick<World, 'settings' | 'log'>): void {
  if (settings.environment !== 'sandbox') return
  log.warn({ database: databaseOf(settings), encryption_key: keyOf(settings) }, NOTICE)
}

/** The same for the terminal; empty in production. */
export const sandboxLines = (settings: Settings): string[] =>
  settings.environment === 'sandbox'
    ? [NOTICE, '', `  Database   ${databaseOf(settings)}`, `  Encrypted  with ${keyOf(settings)}`]
    : []

const databaseOf = ({ databaseUrl, dataDir }: Settings): string =>
  databaseUrl ? `PostgreSQL ${databaseName(databaseUrl)}` : `embedded database in ${dataDir}`

const keyOf = (settings: Settings): string =>
  settings.kmsUrl ? 'the key of KMS_URL' : settings.encryptionKey ? 'ENCRYPTION_KEY' : keyFileOf(settings)
