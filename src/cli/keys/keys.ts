import { writeFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { type ApiKeyPairRow, createKeyPair, grantOf, listKeyPairs, revokeKeyPair } from '../../accounts/api-keys/api-key-pair.store.ts'
import { isAdministratorGrant } from '../../accounts/api-keys/api-key-pair.ts'
import { generateKey } from '../../accounts/api-keys/private-key.ts'
import { roles } from '../../accounts/roles/role.ts'
import { type Algorithm, algorithms } from '../../api/auth/token.ts'
import { prepareDataDir } from '../../base/data-dir.ts'
import { timeOrderedIds } from '../../base/ids.ts'
import type { Database } from '../../database/database.ts'
import { migrate } from '../../database/migrate.ts'
import { openDatabase } from '../../database/open-database.ts'
import type { Settings } from '../../settings.ts'
import { runAsCommandLine } from '../command-line-actor.ts'
import { printTable } from '../table.ts'
import { UserError } from '../user-error.ts'

/**
 * How much of a function of WebAssembly runs before V8 compiles it once more, to be faster: a hundred times what it has by default. Of what a command on the embedded
 * database cost, two fifths were spent on that, and it was over before it could pay; one that runs for minutes comes to it all the same.
 */
const TIERING_BUDGET_BYTES = 1_300_000_000

/** Opens the database for one command, its schema up to date; `migrated` are the migrations that ran for that. The embedded one belongs to the process that runs it: while the server does, this is refused. */
export async function withDatabase<T>(
  settings: Settings,
  work: (database: Database, migrated: readonly string[]) => Promise<T>,
  { patient = false } = {},
): Promise<T> {
  if (!settings.databaseUrl) {
    setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET_BYTES}`)
    await prepareDataDir(settings)
  }
  const database = await openDatabase(settings, { withoutTimeout: patient })
  try {
    return await work(database, await migrate(database))
  } finally {
    await database.close()
  }
}

/** What stores need of a world that a command has not. */
export const commandStore = ({ db, changes, time }: Database) => ({ db, changes, clock: time, ids: timeOrderedIds(time) })

export interface NewKey {
  name: string
  algorithm: string
  role: string[]
  merchantAccount: string[]
  /** Whether requests must name their merchant account. */
  merchantAccountRequired?: boolean
  /** The file that the private key is written to. */
  out: string
}

const accountsOf = (ids: readonly string[]) => (ids.length > 0 ? ids.join(',') : 'all accounts')

/** `railyard keys create`. The private key goes to a file of mode 0600 and is kept nowhere else. */
export async function createKey(
  settings: Settings,
  { name, algorithm, role, merchantAccount, merchantAccountRequired = false, out }: NewKey,
): Promise<void> {
  const chosen = algorithms.find((known): known is Algorithm => known === algorithm)
  if (!chosen) throw new UserError(`--algorithm must be one of ${algorithms.join(', ')}`)
  const assignable = roles.filter(({ assignableTo }) => assignableTo.includes('api-key-pair')).map(({ slug }) => slug)
  const unknown = role.find((slug) => !assignable.includes(slug))
  if (unknown) throw new UserError(`there is no role ${unknown} for key pairs; there are ${assignable.join(', ')}`)
  await withDatabase(settings, async (database) => {
    const known = await database.db.selectFrom('merchant_accounts').select('id').execute()
    const stranger = merchantAccount.find((id) => !known.some((account) => account.id === id))
    if (stranger) throw new UserError(`there is no merchant account ${stranger}`)
    const { privateKeyPem, publicJwk, thumbprint } = await generateKey(chosen)
    await writeFile(out, privateKeyPem, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      throw new UserError(error.code === 'EEXIST' ? `${out} exists already and is left as it is` : `${out} cannot be written: ${error.message}`)
    })
    const pair = {
      displayName: name,
      algorithm: chosen,
      thumbprint,
      publicJwk,
      roleIds: role,
      merchantAccountIds: merchantAccount,
      mustNameAccount: merchantAccountRequired,
    }
    const { id } = await runAsCommandLine(() => createKeyPair(commandStore(database), pair))
    // an RSA key does not say which of its two algorithms it is for
    const signing = chosen === 'RS256' ? ' --algorithm RS256' : ''
    console.log(
      [
        `Key pair ${id}`,
        `  thumbprint   ${thumbprint}`,
        `  algorithm    ${chosen}`,
        `  role         ${role.join(', ')}`,
        `  accounts     ${accountsOf(merchantAccount)}`,
        `  private key  ${out}`,
        `Sign a token with: npm run -s railyard -- token --key ${out}${signing} --scopes transactions.read,transactions.write`,
      ].join('\n'),
    )
  })
}

/** `railyard keys list`. */
export const listKeys = (settings: Settings): Promise<void> =>
  withDatabase(settings, async (database) => {
    const pairs = await listKeyPairs(database)
    if (pairs.length === 0) return console.log('There is no key pair; railyard keys create makes one')
    const columns = ['id', 'algorithm', 'thumbprint', 'roles', 'accounts', 'last used', 'name']
    const rows = pairs.map((pair) => [
      pair.id,
      pair.algorithm,
      pair.thumbprint,
      pair.role_ids.join(','),
      accountsOf(pair.merchant_account_ids),
      pair.last_used_at ?? 'never',
      pair.display_name,
    ])
    printTable(columns, rows)
  })

const isAdministratorKey = (row: ApiKeyPairRow) => isAdministratorGrant(grantOf(row))

/** `railyard keys revoke`: its tokens are refused from now on, by every process. The last administrator's goes only by `force`. */
export const revokeKey = (settings: Settings, name: string, { force = false }: { force?: boolean }): Promise<void> =>
  withDatabase(settings, async (database) => {
    const pairs = await listKeyPairs(database)
    const meant = pairs.find(({ id, thumbprint }) => id === name || thumbprint === name)
    const last = meant && isAdministratorKey(meant) && pairs.filter(isAdministratorKey).length === 1
    if (last && !force)
      throw new UserError(`${name} is the last key of an administrator; make another with railyard keys create first, or add --force`)
    if (!(await runAsCommandLine(() => revokeKeyPair(commandStore(database), name))))
      throw new UserError(`there is no key pair ${name}; see railyard keys list`)
    console.log(`Revoked ${name}`)
  })
