import type { Selectable } from 'kysely'
import { duplicateRecord } from '../../api/errors.ts'
import type { PageRequest } from '../../api/pagination.ts'
import { timeOf } from '../../base/clock.ts'
import type { FieldValues } from '../../connectors/fields.ts'
import type { GiftCardServiceDefinition } from '../../connectors/gift-card-connector.ts'
import { openFields, sealFields } from '../../connectors/sealed-fields.ts'
import { type AuditAction, type AuditedChange, changeWithAudit, recordChange } from '../../database/logs/audit-log.ts'
import { newestFirst } from '../../database/newest-first.ts'
import type { GiftCardServiceTable } from '../../database/tables/services.ts'
import { isSame } from '../../database/would-change.ts'
import type { World } from '../../world.ts'
import type { GiftCardServiceProvider } from '../redemptions/redemption.schema.ts'
import type { ConfiguredGiftCardService } from './gift-card-service.schema.ts'

export type GiftCardServiceRow = Selectable<GiftCardServiceTable>

/** A configured gift card service with its secret fields in the clear. It stays in this process and is shown to nobody. */
export interface ServiceWithSecrets extends GiftCardServiceRow {
  /** Every field by its key, the secret ones included. */
  values: FieldValues
}

/** Every gift card service of an account, deleted ones too: cards and redemptions that came through them still need them. Cached. */
export const giftCardServices = (world: World, account: string): Promise<ServiceWithSecrets[]> =>
  world.cache.get('gift_card_services', account, () => readGiftCardServices(world, account))

/** The same, as they are now; `world.db` may be a database transaction, which must not wait for what others are reading into the cache. */
export async function readGiftCardServices(world: Pick<World, 'db' | 'cipher'>, account: string): Promise<ServiceWithSecrets[]> {
  const rows = await world.db.selectFrom('gift_card_services').selectAll().where('merchant_account_id', '=', account).execute()
  return rows.map((row) => ({ ...row, values: openFields(world, PURPOSE, row) }))
}

const PURPOSE = 'gift-card-service-fields'

/** How a service is configured, its secrets in the clear. */
export interface GiftCardServiceSettings {
  display_name: string
  active: boolean
  values: FieldValues
}

function toColumns(world: World, account: string, id: string, { fields }: GiftCardServiceDefinition, { values, ...plain }: GiftCardServiceSettings) {
  return { ...plain, ...sealFields(world, PURPOSE, { merchant_account_id: account, id }, fields, values) }
}

const existingService = ({ db }: Pick<World, 'db'>, account: string, id: string) =>
  db.selectFrom('gift_card_services').selectAll().where('merchant_account_id', '=', account).where('id', '=', id).where('deleted_at', 'is', null)

/** One that is not deleted, as it is now. */
export async function findGiftCardService(world: World, account: string, id: string): Promise<ConfiguredGiftCardService | undefined> {
  const row = await existingService(world, account, id).executeTakeFirst()
  return row && showGiftCardService(row)
}

/** Newest first, without the deleted ones. */
export function listGiftCardServices(world: World, account: string, page: PageRequest) {
  return world.db
    .selectFrom('gift_card_services')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('deleted_at', 'is', null)
    .$call(newestFirst(page))
    .execute()
}

/** Throws 409 `duplicate_record` where the account has an active one and this one is active, too. */
export function insertGiftCardService(
  world: World,
  account: string,
  definition: GiftCardServiceDefinition,
  settings: GiftCardServiceSettings,
): Promise<ConfiguredGiftCardService> {
  return withUniquePrimary(world, account, async () => {
    const id = world.ids.next()
    const now = timeOf(world.clock)
    const insert = (db: World['db']) =>
      db
        .insertInto('gift_card_services')
        .values({
          ...toColumns(world, account, id, definition, settings),
          merchant_account_id: account,
          id,
          gift_card_service_definition_id: definition.id,
          deleted_at: null,
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    const row = await changeWithAudit(world, insert, (created) => serviceChange('created', created))
    world.changes.invalidate('gift_card_services')
    return showGiftCardService(row)
  })
}

/** Gives the new settings, or throws where they break a rule. */
type SettingsChange = (
  definitionId: string,
  settings: GiftCardServiceSettings,
) => { definition: GiftCardServiceDefinition; settings: GiftCardServiceSettings }

/** Undefined: there is none. Throws 409 as `insertGiftCardService`. The row is locked during the change, so that two requests cannot each undo the other's fields. */
export function updateGiftCardService(
  world: World,
  account: string,
  id: string,
  change: SettingsChange,
): Promise<ConfiguredGiftCardService | undefined> {
  return withUniquePrimary(world, account, async () => {
    const row = await world.db.transaction().execute(async (transaction) => {
      const current = await existingService({ db: transaction }, account, id).forUpdate().executeTakeFirst()
      if (!current) return undefined
      const { display_name, active } = current
      const before = { display_name, active, values: openFields(world, PURPOSE, current) }
      const { definition, settings } = change(current.gift_card_service_definition_id, before)
      if (isSame(settings, before)) return current
      const updated = await transaction
        .updateTable('gift_card_services')
        .set({ ...toColumns(world, account, id, definition, settings), updated_at: timeOf(world.clock) })
        .where('merchant_account_id', '=', account)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow()
      await recordChange(transaction, world, serviceChange('updated', updated))
      return updated
    })
    if (!row) return undefined
    world.changes.invalidate('gift_card_services')
    return showGiftCardService(row)
  })
}

/** The unique index decides which service is the primary, so two racing requests cannot both win; the loser is told who did. */
async function withUniquePrimary<T>(world: World, account: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof Error && 'constraint' in error && error.constraint === 'gift_card_services_primary')) throw error
    const primary = await world.db
      .selectFrom('gift_card_services')
      .select('id')
      .where('merchant_account_id', '=', account)
      .where('active', '=', true)
      .executeTakeFirst()
    if (primary) throw duplicateRecord(primary.id, 'The account has an active gift card service')
    // it was deleted or switched off in between: the place is free again
    return withUniquePrimary(world, account, change)
  }
}

/** Marks it deleted; what went through it can still be undone. False: there is none. */
export async function deleteGiftCardService(world: World, account: string, id: string): Promise<boolean> {
  const now = timeOf(world.clock)
  const remove = (db: World['db']) =>
    db
      .updateTable('gift_card_services')
      .set({ deleted_at: now, updated_at: now, active: false })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .returningAll()
      .executeTakeFirst()
  const row = await changeWithAudit(world, remove, (removed) => serviceChange('deleted', removed))
  if (row) world.changes.invalidate('gift_card_services')
  return row !== undefined
}

/** The column is written from definitions only, and those are the contract's. */
export const providerOf = ({ gift_card_service_definition_id }: Pick<GiftCardServiceRow, 'gift_card_service_definition_id'>) =>
  gift_card_service_definition_id as GiftCardServiceProvider

/** As the API shows it: without its secret fields. */
export function showGiftCardService(row: GiftCardServiceRow): ConfiguredGiftCardService {
  const { secrets: _, deleted_at, ...shown } = row
  return { type: 'gift-card-service', ...shown, gift_card_service_definition_id: providerOf(row), is_deleted: deleted_at !== null }
}

const serviceChange = (action: AuditAction, { merchant_account_id, id, display_name }: GiftCardServiceRow): AuditedChange => ({
  account: merchant_account_id,
  action,
  resource: { type: 'gift-card-service', id, name: display_name },
})
