import { writeFile } from 'node:fs/promises'
import {
  type ApiKeyPairRow,
  createKeyPair,
  grantOf,
  listKeyPairs,
  revokeKeyPair,
} from '../../accounts/api-keys/api-key-pair.store.ts'
import { isAdministratorGrant } from '../../accounts/api-keys/api-key-pair.ts'
import { generateKey } from '../../accounts/api-keys/private-key.ts'
import { roles } from '../../accounts/roles/role.ts'
import { type Algorithm, algorithms } from '../../api/auth/token.ts'
import type { Settings } from '../../settings.ts'
import { commandStore, withDatabase, withNewOrExistingDatabase } from '../support/command-database.ts'
import { runAsCommandLine } from '../support/command-line-actor.ts'
import { requireMerchantAccounts } from '../support/require-merchant-accounts.ts'
import { printTable } from '../support/table.ts'
import { UserError } from '../support/user-error.ts'

export interface NewKey {
  name: string
  algorithm: string
  /** Slugs of the key pair's roles. */
  role: string[]
  merchantAccount: string[]
  /** Whether requests must name their merchant account. */
  merchantAccountRequired?: boolean
  /** The file that the private key is written to. */
  out: string
}

const accountsOf = (ids: readonly string[]) => (ids.length > 0 ? ids.join(',') : 'all accounts')

/**
 * `railyard keys create`: makes a key pair. The private key goes to a file of mode 0600 and is stored nowhere
 * else.
 */
export async function createKey(
  settings: Settings,
  {
    name,
    algorithm: algorithmName,
    role: roleSlugs,
    merchantAccount: merchantAccountIds,
    merchantAccountRequired = false,
    out,
  }: NewKey,
): Promise<void> {
  const algorithm = algorithms.find((known): known is Algorithm => known === algorithmName)
  if (!algorithm) throw new UserError(`--algorithm must be one of ${algorithms.join(', ')}`)
  const assignable = roles
    .filter(({ assignableTo }) => assignableTo.includes('api-key-pair'))
    .map(({ slug }) => slug)
  const unknown = roleSlugs.find((slug) => !assignable.includes(slug))
  if (unknown)
    throw new UserError(`there is no role ${unknown} for key pairs; there are ${assignable.join(', ')}`)
  await withNewOrExistingDatabase(settings, async (database) => {
    await requireMerchantAccounts(database, merchantAccountIds)
    const { privateKeyPem, publicJwk, thumbprint } = await generateKey(algorithm)
    await writeFile(out, privateKeyPem, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      throw new UserError(
        error.code === 'EEXIST'
          ? `${out} exists already and is left as it is`
          : `${out} cannot be written: ${error.message}`,
      )
    })
    const pair = {
      displayName: name,
      algorithm,
      thumbprint,
      publicJwk,
      roleIds: roleSlugs,
      merchantAccountIds,
      mustNameAccount: merchantAccountRequired,
    }
    const { id } = await runAsCommandLine(() => createKeyPair(commandStore(database), pair))
    // an RSA key fits two algorithms, and railyard token signs with RS512 by default
    const algorithmOption = algorithm === 'RS256' ? ' --algorithm RS256' : ''
    console.log(
      [
        `Key pair ${id}`,
        `  thumbprint   ${thumbprint}`,
        `  algorithm    ${algorithm}`,
        `  role         ${roleSlugs.join(', ')}`,
        `  accounts     ${accountsOf(merchantAccountIds)}`,
        `  private key  ${out}`,
        `Sign a token with: npm run -s railyard -- token --key ${out}${algorithmOption} --scopes transactions.read,transactions.write`,
      ].join('\n'),
    )
  })
}

/** `railyard keys list`: prints the key pairs. */
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

/**
 * `railyard keys revoke`: deletes a key pair, by its id or thumbprint; every process refuses its tokens from
 * now on. The last key of an administrator needs `force`.
 */
export const revokeKey = (
  settings: Settings,
  name: string,
  { force = false }: { force?: boolean },
): Promise<void> =>
  withDatabase(settings, async (database) => {
    const pairs = await listKeyPairs(database)
    const pair = pairs.find(({ id, thumbprint }) => id === name || thumbprint === name)
    const isLastAdministrator =
      pair && isAdministratorKey(pair) && pairs.filter(isAdministratorKey).length === 1
    if (isLastAdministrator && !force)
      throw new UserError(
        `${name} is the last key of an administrator; make another with railyard keys create first, or add --force`,
      )
    if (!(await runAsCommandLine(() => revokeKeyPair(commandStore(database), name))))
      throw new UserError(`there is no key pair ${name}; see railyard keys list`)
    console.log(`Revoked ${name}`)
  })
