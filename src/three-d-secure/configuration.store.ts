import { type Selectable, sql } from 'kysely'
import { throwProblems } from '../api/throw-problems.ts'
import { timeOf } from '../base/clock.ts'
import type { CardScheme } from '../connectors/contract/method.schema.ts'
import {
  type AuditAction,
  type AuditedChange,
  changeWithAudit,
  recordChange,
} from '../database/logs/audit-log.ts'
import { deleteRow } from '../database/rows/delete-row.ts'
import { lockRow } from '../database/rows/lock-row.ts'
import { withUniqueValue } from '../database/rows/unique-holder.ts'
import { writeChanges } from '../database/rows/write-changes.ts'
import type { ThreeDSecureConfigurationTable } from '../database/tables/services.ts'
import type { World } from '../world.ts'
import type {
  ThreeDSConfiguration,
  ThreeDSConfigurationCreate,
  ThreeDSConfigurationUpdate,
} from './configuration.schema.ts'
import {
  applyUpdate,
  type ConfigurationSettings,
  configurationProblems,
  metadataDigest,
} from './configuration.ts'

type ConfigurationRow = Selectable<ThreeDSecureConfigurationTable>

/** The account's configurations for the payment path, the newest first. Cached. */
export const threeDSConfigurations = (world: World, account: string): Promise<ThreeDSConfiguration[]> =>
  world.cache.get('three_d_secure', `configurations/${account}`, () =>
    listConfigurations(world, account, null),
  )

/**
 * The configurations as they are now, the newest first. `currency` null: all of them; else only those for
 * this currency (semantics §7.3).
 */
export async function listConfigurations(
  world: World,
  account: string,
  currency: string | null,
): Promise<ThreeDSConfiguration[]> {
  const rows = await world.db
    .selectFrom('three_d_secure_configurations')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .$if(currency !== null, (query) => query.where('currency', '=', currency))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(toConfiguration)
}

/**
 * Throws 400 if a rule is broken, 409 `duplicate_record` if the account has a configuration for the same
 * transactions.
 */
export async function insertConfiguration(
  world: World,
  account: string,
  input: ThreeDSConfigurationCreate,
): Promise<ThreeDSConfiguration> {
  const now = timeOf(world.clock)
  const row = await withUniqueTerms(world, account, (claim) => {
    const settings = claim({ ...input, currency: input.currency ?? null })
    const insert = (db: World['db']) =>
      db
        .insertInto('three_d_secure_configurations')
        .values({
          ...toColumns(settings),
          merchant_account_id: account,
          id: world.ids.next(),
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    return changeWithAudit(world, insert, (created) => configurationChange('created', created))
  })
  world.changes.invalidate('three_d_secure')
  return toConfiguration(row)
}

/**
 * Undefined: the account has no such configuration. Throws as `insertConfiguration`. The row stays locked
 * meanwhile, since the digest depends on all members.
 */
export async function updateConfiguration(
  world: World,
  account: string,
  id: string,
  update: ThreeDSConfigurationUpdate,
): Promise<ThreeDSConfiguration | undefined> {
  const row = await withUniqueTerms(world, account, (claim) =>
    world.db.transaction().execute(async (db) => {
      const current = await lockRow(db, 'three_d_secure_configurations', account, id)
      if (!current) return undefined
      const columns = toColumns(claim(applyUpdate(toConfiguration(current), update)))
      const updated = await writeChanges(
        db,
        'three_d_secure_configurations',
        current,
        columns,
        timeOf(world.clock),
      )
      if (updated) await recordChange(db, world, configurationChange('updated', updated))
      return updated ?? current
    }),
  )
  if (!row) return undefined
  world.changes.invalidate('three_d_secure')
  return toConfiguration(row)
}

/** False: the account has no such configuration. */
export async function deleteConfiguration(world: World, account: string, id: string): Promise<boolean> {
  const remove = (db: World['db']) => deleteRow(db, 'three_d_secure_configurations', account, id)
  const row = await changeWithAudit(world, remove, (removed) => configurationChange('deleted', removed))
  if (row) world.changes.invalidate('three_d_secure')
  return row !== undefined
}

const configurationChange = (
  action: AuditAction,
  { merchant_account_id, id, merchant_name }: ConfigurationRow,
): AuditedChange => ({
  account: merchant_account_id,
  action,
  resource: { type: 'merchant-account.three-ds-configuration', id, name: merchant_name },
})

/**
 * A scheme, currency and metadata have one configuration of the account at most. `change` calls `claim` with
 * the settings that it is about to write; `claim` throws 400 if they break a rule.
 */
function withUniqueTerms<T>(
  world: World,
  account: string,
  change: (claim: typeof requireValidSettings) => Promise<T>,
): Promise<T> {
  let claimed: ConfigurationSettings | undefined
  return withUniqueValue(
    {
      index: 'three_d_secure_configurations_once',
      findHolder: async () => claimed && findDuplicate(world, account, claimed),
      message: 'A configuration with this scheme, currency and metadata exists',
    },
    () =>
      change((settings) => {
        claimed = requireValidSettings(settings)
        return claimed
      }),
  )
}

function requireValidSettings(settings: ConfigurationSettings): ConfigurationSettings {
  throwProblems(configurationProblems(settings))
  return settings
}

async function findDuplicate(
  world: World,
  account: string,
  { scheme, currency, metadata }: ConfigurationSettings,
): Promise<string | undefined> {
  const row = await world.db
    .selectFrom('three_d_secure_configurations')
    .select('id')
    .where('merchant_account_id', '=', account)
    .where('scheme', '=', scheme)
    .where(sql<boolean>`currency is not distinct from ${currency}`)
    .where('metadata_digest', '=', metadataDigest(metadata))
    .executeTakeFirst()
  return row?.id
}

const toColumns = (settings: ConfigurationSettings) => ({
  scheme: settings.scheme,
  currency: settings.currency,
  metadata: JSON.stringify(settings.metadata),
  metadata_digest: metadataDigest(settings.metadata),
  merchant_acquirer_bin: settings.merchant_acquirer_bin,
  merchant_acquirer_id: settings.merchant_acquirer_id,
  merchant_name: settings.merchant_name,
  merchant_country_code: settings.merchant_country_code,
  merchant_category_code: settings.merchant_category_code,
  merchant_url: settings.merchant_url,
})

function toConfiguration({ metadata_digest: _, scheme, ...row }: ConfigurationRow): ThreeDSConfiguration {
  // the column is written from `CardScheme` only
  return { type: 'merchant-account.three-ds-configuration', ...row, scheme: scheme as CardScheme }
}
