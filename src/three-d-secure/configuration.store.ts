import { type Selectable, sql } from 'kysely'
import { duplicateRecord, invalid } from '../api/errors.ts'
import { timeOf } from '../base/clock.ts'
import type { CardScheme } from '../connectors/method.schema.ts'
import { type AuditAction, type AuditedChange, changeWithAudit, recordChange } from '../database/logs/audit-log.ts'
import type { ThreeDSecureConfigurationTable } from '../database/tables/services.ts'
import { writeChanges } from '../database/write-changes.ts'
import type { World } from '../world.ts'
import type { ThreeDSConfiguration, ThreeDSConfigurationCreate, ThreeDSConfigurationUpdate } from './configuration.schema.ts'
import { applyUpdate, type ConfigurationSettings, configurationProblems, metadataDigest } from './configuration.ts'

type ConfigurationRow = Selectable<ThreeDSecureConfigurationTable>

/** The account's configurations as the payment path reads them: cached, the newest first. */
export const threeDSConfigurations = (world: World, account: string): Promise<ThreeDSConfiguration[]> =>
  world.cache.get('three_d_secure', `configurations/${account}`, () => listConfigurations(world, account, null))

/** As they are now, the newest first. `currency` null: all of them; else those for this currency alone (SEMANTICS §7.3). */
export async function listConfigurations(world: World, account: string, currency: string | null): Promise<ThreeDSConfiguration[]> {
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

/** Throws 400 where a rule is broken, 409 `duplicate_record` where the account has one for the same transactions. */
export async function insertConfiguration(world: World, account: string, input: ThreeDSConfigurationCreate): Promise<ThreeDSConfiguration> {
  const now = timeOf(world.clock)
  const row = await refuseDuplicates(world, account, (claim) => {
    const settings = claim({ ...input, currency: input.currency ?? null })
    const insert = (db: World['db']) =>
      db
        .insertInto('three_d_secure_configurations')
        .values({ ...toColumns(settings), merchant_account_id: account, id: world.ids.next(), created_at: now, updated_at: now })
        .returningAll()
        .executeTakeFirstOrThrow()
    return changeWithAudit(world, insert, (created) => entry('created', created))
  })
  world.changes.invalidate('three_d_secure')
  return toConfiguration(row)
}

/** Undefined: there is none. Throws as `insertConfiguration`. The row is locked meanwhile, since the digest is of what all members come to. */
export async function updateConfiguration(
  world: World,
  account: string,
  id: string,
  update: ThreeDSConfigurationUpdate,
): Promise<ThreeDSConfiguration | undefined> {
  const row = await refuseDuplicates(world, account, (claim) =>
    world.db.transaction().execute(async (db) => {
      const current = await db
        .selectFrom('three_d_secure_configurations')
        .selectAll()
        .where('merchant_account_id', '=', account)
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst()
      if (!current) return undefined
      const columns = toColumns(claim(applyUpdate(toConfiguration(current), update)))
      const updated = await writeChanges(db, 'three_d_secure_configurations', current, columns, timeOf(world.clock))
      if (updated) await recordChange(db, world, entry('updated', updated))
      return updated ?? current
    }),
  )
  if (!row) return undefined
  world.changes.invalidate('three_d_secure')
  return toConfiguration(row)
}

/** False: there is none. */
export async function deleteConfiguration(world: World, account: string, id: string): Promise<boolean> {
  const remove = (db: World['db']) =>
    db.deleteFrom('three_d_secure_configurations').where('merchant_account_id', '=', account).where('id', '=', id).returningAll().executeTakeFirst()
  const row = await changeWithAudit(world, remove, (removed) => entry('deleted', removed))
  if (row) world.changes.invalidate('three_d_secure')
  return row !== undefined
}

const entry = (action: AuditAction, { merchant_account_id, id, merchant_name }: ConfigurationRow): AuditedChange => ({
  account: merchant_account_id,
  action,
  resource: { type: 'merchant-account.three-ds-configuration', id, name: merchant_name },
})

/**
 * The unique index decides who has a scheme, currency and metadata, so two racing requests cannot both win; the loser is told who did. `change` names what
 * it is about to write, which must break no rule.
 */
async function refuseDuplicates<T>(world: World, account: string, change: (claim: typeof checkedSettings) => Promise<T>): Promise<T> {
  let claimed: ConfigurationSettings | undefined
  try {
    return await change((settings) => {
      claimed = checkedSettings(settings)
      return claimed
    })
  } catch (error) {
    if (!claimed || !isTaken(error)) throw error
    const holder = await findDuplicate(world, account, claimed)
    if (holder) throw duplicateRecord(holder, 'A configuration with this scheme, currency and metadata exists')
    // deleted or changed in between: the place is free again
    return refuseDuplicates(world, account, change)
  }
}

const isTaken = (error: unknown) => error instanceof Error && 'constraint' in error && error.constraint === 'three_d_secure_configurations_once'

function checkedSettings(settings: ConfigurationSettings): ConfigurationSettings {
  const broken = configurationProblems(settings)
  if (Object.keys(broken).length > 0) throw invalid(broken)
  return settings
}

async function findDuplicate(world: World, account: string, { scheme, currency, metadata }: ConfigurationSettings): Promise<string | undefined> {
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
