import { type Selectable, sql } from 'kysely'
import type { PageRequest } from '../api/pagination.ts'
import { timeOf } from '../base/clock.ts'
import type { AntiFraudDefinition } from '../connectors/anti-fraud-connector.ts'
import type { FieldValues } from '../connectors/fields.ts'
import { openFields, sealFields } from '../connectors/sealed-fields.ts'
import { type AuditAction, type AuditedChange, changeWithAudit, recordChange } from '../database/logs/audit-log.ts'
import { newestFirst } from '../database/newest-first.ts'
import type { AntiFraudServiceTable } from '../database/tables/services.ts'
import { isSame } from '../database/would-change.ts'
import type { World } from '../world.ts'
import type { AntiFraudService } from './anti-fraud-service.schema.ts'
import { antiFraudNotificationUrl } from './notification-url.ts'

export type AntiFraudServiceRow = Selectable<AntiFraudServiceTable>

/** A configured anti-fraud service with its secret fields in the clear. It stays in this process and is shown to nobody. */
export interface ServiceWithSecrets extends AntiFraudServiceRow {
  /** Every field by its key, the secret ones included. */
  values: FieldValues
}

/** Every anti-fraud service of an account, deleted ones too: they may still decide reviews. In the order of asking. Cached. */
export const antiFraudServices = (world: World, account: string): Promise<ServiceWithSecrets[]> =>
  world.cache.get('anti_fraud_services', account, () => readAntiFraudServices(world, account))

async function readAntiFraudServices(world: World, account: string): Promise<ServiceWithSecrets[]> {
  const rows = await world.db
    .selectFrom('anti_fraud_services')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .orderBy('position')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, values: openFields(world, SEALING_PURPOSE, row) }))
}

const SEALING_PURPOSE = 'anti-fraud-service-fields'

/** How a service is configured, its secrets in the clear. */
export interface AntiFraudServiceSettings {
  display_name: string
  active: boolean
  /** Null: behind those that there are. */
  position: number | null
  values: FieldValues
}

function toColumns(
  world: World,
  account: string,
  id: string,
  { fields }: AntiFraudDefinition,
  { display_name, active, values }: AntiFraudServiceSettings,
) {
  return { display_name, active, ...sealFields(world, SEALING_PURPOSE, { merchant_account_id: account, id }, fields, values) }
}

const selectNotDeleted = ({ db }: Pick<World, 'db'>, account: string, id: string) =>
  db.selectFrom('anti_fraud_services').selectAll().where('merchant_account_id', '=', account).where('id', '=', id).where('deleted_at', 'is', null)

/** One that is not deleted, as it is now. */
export async function findAntiFraudService(world: World, account: string, id: string): Promise<AntiFraudService | undefined> {
  const row = await selectNotDeleted(world, account, id).executeTakeFirst()
  return row && showAntiFraudService(world, row)
}

/** Newest first, without the deleted ones. */
export function listAntiFraudServices(world: World, account: string, page: PageRequest) {
  return world.db
    .selectFrom('anti_fraud_services')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('deleted_at', 'is', null)
    .$call(newestFirst(page))
    .execute()
}

export async function insertAntiFraudService(
  world: World,
  account: string,
  definition: AntiFraudDefinition,
  settings: AntiFraudServiceSettings,
): Promise<AntiFraudService> {
  const id = world.ids.next()
  const now = timeOf(world.clock)
  const last = sql<number>`(select coalesce(max(position), 0) + 1 from anti_fraud_services where merchant_account_id = ${account} and deleted_at is null)`
  const insert = (db: World['db']) =>
    db
      .insertInto('anti_fraud_services')
      .values({
        ...toColumns(world, account, id, definition, settings),
        position: settings.position ?? last,
        merchant_account_id: account,
        id,
        anti_fraud_service_definition_id: definition.id,
        deleted_at: null,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  const row = await changeWithAudit(world, insert, (created) => entry('created', created))
  world.changes.invalidate('anti_fraud_services')
  return showAntiFraudService(world, row)
}

/** Gives the new settings, or throws where they break a rule. */
type SettingsChange = (
  definitionId: string,
  settings: AntiFraudServiceSettings,
) => { definition: AntiFraudDefinition; settings: AntiFraudServiceSettings }

/** Undefined: there is none. The row is locked during the change, so that two requests cannot each undo the other's fields. */
export async function updateAntiFraudService(
  world: World,
  account: string,
  id: string,
  change: SettingsChange,
): Promise<AntiFraudService | undefined> {
  const row = await world.db.transaction().execute(async (transaction) => {
    const current = await selectNotDeleted({ db: transaction }, account, id).forUpdate().executeTakeFirst()
    if (!current) return undefined
    const { display_name, active, position } = current
    const before = { display_name, active, position, values: openFields(world, SEALING_PURPOSE, current) }
    const { definition, settings } = change(current.anti_fraud_service_definition_id, before)
    if (isSame(settings, before)) return current
    const updated = await transaction
      .updateTable('anti_fraud_services')
      .set({ ...toColumns(world, account, id, definition, settings), position: settings.position ?? position, updated_at: timeOf(world.clock) })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordChange(transaction, world, entry('updated', updated))
    return updated
  })
  if (!row) return undefined
  world.changes.invalidate('anti_fraud_services')
  return showAntiFraudService(world, row)
}

/** Marks it deleted: it is asked no more, and what it holds for review it may still decide. False: there is none. */
export async function deleteAntiFraudService(world: World, account: string, id: string): Promise<boolean> {
  const now = timeOf(world.clock)
  const remove = (db: World['db']) =>
    db
      .updateTable('anti_fraud_services')
      .set({ deleted_at: now, updated_at: now, active: false })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .returningAll()
      .executeTakeFirst()
  const row = await changeWithAudit(world, remove, (removed) => entry('deleted', removed))
  if (row) world.changes.invalidate('anti_fraud_services')
  return row !== undefined
}

/** As the API shows it: without its secret fields. */
export function showAntiFraudService(world: Pick<World, 'cipher' | 'publicUrl'>, row: AntiFraudServiceRow): AntiFraudService {
  const { secrets: _, deleted_at, ...shown } = row
  return {
    type: 'anti-fraud-service',
    ...shown,
    webhook_url: antiFraudNotificationUrl(world, row.merchant_account_id, row.id),
    is_deleted: deleted_at !== null,
  }
}

const entry = (action: AuditAction, { merchant_account_id, id, display_name }: AntiFraudServiceRow): AuditedChange => ({
  account: merchant_account_id,
  action,
  resource: { type: 'anti-fraud-service', id, name: display_name },
})
