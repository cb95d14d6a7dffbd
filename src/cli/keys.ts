import { writeFile } from 'node:fs/promises'
import { insertKeyPair, listKeyPairs, revokeKeyPair } from '../accounts/api-key-pair.store.ts'
import { generateKey } from '../accounts/private-key.ts'
import { roleById, roles } from '../accounts/role.ts'
import { type Algorithm, algorithms } from '../api/token.ts'
import { prepareDataDir } from '../data-dir.ts'
import { type Database, migrate, openDatabase } from '../database/database.ts'
import type { Settings } from '../settings.ts'
import { systemClock, timeOrderedIds } from '../world.ts'
import { UserError } from './user-error.ts'

/** Opens the database for one command. The embedded one belongs to the process that runs it: while the server does, this is refused. */
export async function withDatabase<T>(settings: Settings, work: (database: Database) => Promise<T>): Promise<T> {
  if (!settings.databaseUrl) await prepareDataDir(settings)
  const database = await openDatabase(settings)
  try {
    await migrate(database)
    return await work(database)
  } finally {
    await database.close()
  }
}

const storeOf = ({ db, changes }: Database) => ({ db, changes, clock: systemClock, ids: timeOrderedIds(systemClock) })

export interface NewKey {
  name: string
  algorithm: string
  role: string[]
  merchantAccount: string[]
  /** The file that the private key is written to. */
  out: string
}

/** `railyard keys create`. The private key goes to a file of mode 0600 and is kept nowhere else. */
export async function createKey(settings: Settings, { name, algorithm, role, merchantAccount, out }: NewKey): Promise<void> {
  const chosen = algorithms.find((known): known is Algorithm => known === algorithm)
  if (!chosen) throw new UserError(`--algorithm must be one of ${algorithms.join(', ')}`)
  const unknown = role.find((id) => !roleById(id))
  if (unknown) throw new UserError(`there is no role ${unknown}; there are ${roles.map(({ id }) => id).join(', ')}`)
  await withDatabase(settings, async (database) => {
    const known = await database.db.selectFrom('merchant_accounts').select('id').execute()
    const stranger = merchantAccount.find((id) => !known.some((account) => account.id === id))
    if (stranger) throw new UserError(`there is no merchant account ${stranger}`)
    const { privateKeyPem, publicJwk, thumbprint } = await generateKey(chosen)
    await writeFile(out, privateKeyPem, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      throw new UserError(error.code === 'EEXIST' ? `${out} exists already and is left as it is` : `${out} cannot be written: ${error.message}`)
    })
    const row = await insertKeyPair(storeOf(database), {
      displayName: name,
      algorithm: chosen,
      thumbprint,
      publicJwk,
      roleIds: role,
      merchantAccountIds: merchantAccount,
    })
    console.log(`Key pair ${row.id}\n  thumbprint   ${thumbprint}\n  private key  ${out}`)
  })
}

/** `railyard keys list`. */
export const listKeys = (settings: Settings): Promise<void> =>
  withDatabase(settings, async (database) => {
    for (const key of await listKeyPairs(database)) {
      const accounts = key.merchant_account_ids.length > 0 ? key.merchant_account_ids.join(',') : 'all accounts'
      console.log(
        `${key.id}  ${key.algorithm}  ${key.thumbprint}  ${key.role_ids.join(',')}  ${accounts}  last used ${key.last_used_at ?? 'never'}  ${key.display_name}`,
      )
    }
  })

/** `railyard keys revoke`: its tokens are refused from now on, by every process. */
export const revokeKey = (settings: Settings, name: string): Promise<void> =>
  withDatabase(settings, async (database) => {
    if (!(await revokeKeyPair(storeOf(database), name))) throw new UserError(`there is no key pair ${name}; see railyard keys list`)
    console.log(`Revoked ${name}`)
  })
