import type { Kysely, Selectable, Transaction } from 'kysely'
import { duplicateRecord, invalid } from '../../api/errors.ts'
import type { PageRequest } from '../../api/pagination.ts'
import { SECRET_MASK } from '../../api/values/secret-mask.ts'
import { timeOf } from '../../base/clock.ts'
import { containing } from '../../database/like-pattern.ts'
import { type AuditAction, type AuditedChange, recordChange } from '../../database/logs/audit-log.ts'
import { retryTransient } from '../../database/postgres/retry-transient.ts'
import { newestFirst } from '../../database/rows/newest-first.ts'
import { isSame } from '../../database/rows/would-change.ts'
import type { MerchantAccountTable } from '../../database/tables/accounts.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type {
  MerchantAccount,
  MerchantAccountCreate,
  MerchantAccountUpdate,
} from './merchant-account.schema.ts'
import {
  type AccountSettings,
  accountSettingsProblems,
  applySettingsUpdate,
  networkTokenIdentifiers,
  newAccountSettings,
  secretNames,
} from './merchant-account.ts'

export type MerchantAccountRow = Selectable<MerchantAccountTable>

/** A merchant account for the payment path, from the cache. */
export const cachedMerchantAccount = (world: World, id: string): Promise<MerchantAccountRow | undefined> =>
  world.cache.get('merchant_accounts', id, () =>
    world.db.selectFrom('merchant_accounts').selectAll().where('id', '=', id).executeTakeFirst(),
  )

/** A merchant account, read from the database. */
export async function findMerchantAccount(world: World, id: string): Promise<MerchantAccount | undefined> {
  const row = await world.db
    .selectFrom('merchant_accounts')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toMerchantAccount(world, row)
}

export interface MerchantAccountFilter {
  /** Part of the id or the name. */
  search: string | null
  /** Empty: all accounts. */
  accountIds: readonly string[]
}

/** A page of merchant accounts, the newest first. */
export function listMerchantAccounts(
  world: World,
  { search, accountIds }: MerchantAccountFilter,
  page: PageRequest,
) {
  const pattern = search === null ? null : containing(search)
  return world.db
    .selectFrom('merchant_accounts')
    .selectAll()
    .$if(accountIds.length > 0, (query) => query.where('id', 'in', accountIds))
    .$if(pattern !== null, (query) =>
      query.where((where) =>
        where.or([where('id', 'ilike', pattern), where('display_name', 'ilike', pattern)]),
      ),
    )
    .$call(newestFirst(page))
    .execute()
}

/**
 * Adds a merchant account. Throws `duplicate_record` if the id is taken, 400 if the settings break a rule.
 */
export async function insertMerchantAccount(
  world: World,
  { id, ...input }: MerchantAccountCreate,
): Promise<MerchantAccount> {
  const settings = requireValidSettings(applySettingsUpdate(newAccountSettings, input))
  const now = timeOf(world.clock)
  const row = await inTransaction(world, async (transaction) => {
    const inserted = await transaction
      .insertInto('merchant_accounts')
      .values({ id, ...toColumns(world, id, settings), created_at: now, updated_at: now })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returningAll()
      .executeTakeFirst()
    if (!inserted) throw duplicateRecord(id, 'A merchant account with this id exists')
    await insertAccountShard(transaction, id)
    await claimNetworkTokenIdentifiers(transaction, id, settings)
    await recordChange(transaction, world, accountChange('created', inserted))
    return inserted
  })
  world.changes.invalidate('merchant_accounts')
  return toMerchantAccount(world, row)
}

/** In the transaction that inserts the account. A trigger does the same for a process of an earlier version. */
export const insertAccountShard = (db: Kysely<Tables>, account: string) =>
  db
    .insertInto('account_shards')
    .values({ merchant_account_id: account })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/**
 * Changes a merchant account. Undefined: there is no such account. Throws 400 if the settings break a rule.
 * The row is locked while the rules are checked, since a rule spans members that two requests may change at
 * once.
 */
export async function updateMerchantAccount(
  world: World,
  id: string,
  update: MerchantAccountUpdate,
): Promise<MerchantAccount | undefined> {
  const row = await inTransaction(world, async (transaction) => {
    const current = await transaction
      .selectFrom('merchant_accounts')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!current) return undefined
    const before = toSettings(world, current)
    const settings = requireValidSettings(applySettingsUpdate(before, update))
    if (isSame(settings, before)) return current
    await claimNetworkTokenIdentifiers(transaction, id, settings)
    const updated = await transaction
      .updateTable('merchant_accounts')
      .set({ ...toColumns(world, id, settings), updated_at: timeOf(world.clock) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordChange(transaction, world, accountChange('updated', updated))
    return updated
  })
  if (!row) return undefined
  world.changes.invalidate('merchant_accounts')
  return toMerchantAccount(world, row)
}

/**
 * Retries on a deadlock: two accounts that swap identifiers at once each wait for the identifier that the
 * other gives up, and PostgreSQL ends one of them.
 */
const inTransaction = <T>(
  { db }: World,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> => retryTransient(() => db.transaction().execute(work))

const accountChange = (action: AuditAction, { id, display_name }: MerchantAccountRow): AuditedChange => ({
  account: id,
  action,
  resource: { type: 'merchant-account', id, name: display_name },
})

function requireValidSettings(settings: AccountSettings): AccountSettings {
  const problems = accountSettingsProblems(settings)
  if (Object.keys(problems).length > 0) throw invalid(problems)
  return settings
}

/**
 * Gives the account the identifiers of its settings. The primary key decides which account has one. Throws
 * 400 for one that another account has, without naming that account: the caller may not see it.
 */
async function claimNetworkTokenIdentifiers(
  transaction: Transaction<Tables>,
  id: string,
  settings: AccountSettings,
): Promise<void> {
  await transaction.deleteFrom('network_token_identifiers').where('merchant_account_id', '=', id).execute()
  const wanted = networkTokenIdentifiers(settings)
  if (wanted.length === 0) return
  // always in the same order, so that two accounts that claim the same identifiers wait for each other and do
  // not deadlock
  const identifiers = [...new Set(wanted.map(({ identifier }) => identifier))].sort()
  const claimed = await transaction
    .insertInto('network_token_identifiers')
    .values(identifiers.map((identifier) => ({ identifier, merchant_account_id: id })))
    .onConflict((conflict) => conflict.column('identifier').doNothing())
    .returning('identifier')
    .execute()
  const taken = wanted.filter(({ identifier }) => !claimed.some((row) => row.identifier === identifier))
  if (taken.length > 0)
    throw invalid(
      Object.fromEntries(
        taken.map(({ name }) => [`/${name}`, 'is the identifier of another merchant account']),
      ),
    )
}

/** Settings with a column of their own, the secrets sealed together, and the others as one JSON document. */
function toColumns(world: World, id: string, settings: AccountSettings) {
  const {
    display_name,
    over_capture_amount,
    over_capture_percentage,
    account_updater_enabled,
    async_network_tokens_enabled,
    payment_link_intent,
    loon_secret_key,
    account_updater_request_encryption_key,
    account_updater_response_decryption_key,
    ...identifiers
  } = settings
  const secrets = {
    loon_secret_key,
    account_updater_request_encryption_key,
    account_updater_response_decryption_key,
  } satisfies Record<(typeof secretNames)[number], string | null>
  const hasSecret = Object.values(secrets).some((secret) => secret !== null)
  return {
    display_name,
    over_capture_amount,
    over_capture_percentage,
    account_updater_enabled,
    async_network_tokens_enabled,
    payment_link_intent,
    identifiers: JSON.stringify(identifiers),
    secrets: hasSecret ? world.cipher.seal('merchant-account-secrets', JSON.stringify(secrets), id) : null,
  }
}

function toSettings(world: World, row: MerchantAccountRow): AccountSettings {
  const { id, identifiers, secrets, created_at, updated_at, ...columns } = row
  return {
    ...newAccountSettings,
    ...columns,
    ...identifiers,
    ...(secrets && JSON.parse(world.cipher.open('merchant-account-secrets', secrets, id))),
  }
}

/** A merchant account as the API shows it, its secrets masked. */
export function toMerchantAccount(world: World, row: MerchantAccountRow): MerchantAccount {
  const settings = toSettings(world, row)
  const masked = Object.fromEntries(
    secretNames.map((name) => [name, settings[name] === null ? null : SECRET_MASK]),
  )
  return {
    type: 'merchant-account',
    id: row.id,
    ...settings,
    ...masked,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
