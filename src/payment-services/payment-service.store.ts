import { type Selectable, sql } from 'kysely'
import type { PageRequest } from '../api/pagination.ts'
import { timeOf } from '../base/clock.ts'
import type { Definition } from '../connectors/connector.ts'
import type { FieldValues } from '../connectors/fields.ts'
import type { Method } from '../connectors/method.schema.ts'
import { openFields, sealFields } from '../connectors/sealed-fields.ts'
import { type AuditAction, type AuditedChange, changeWithAudit, recordChange } from '../database/logs/audit-log.ts'
import type { PaymentServiceTable } from '../database/tables/services.ts'
import { isSame } from '../database/would-change.ts'
import type { World } from '../world.ts'
import { methodOf } from './definitions/definition.ts'
import { notificationUrl } from './notification-url.ts'
import type { PaymentService } from './payment-service.schema.ts'
import type { ServiceSettings } from './payment-service.ts'

export type PaymentServiceRow = Selectable<PaymentServiceTable>

/** A configured payment service with its secret fields in the clear. It stays in this process and is shown to nobody. */
export interface ConfiguredService extends PaymentServiceRow {
  /** Every field by its key, the secret ones included. */
  values: FieldValues
}

/** Every payment service of an account, deleted ones too: payments that went through them can still be refunded. In the order of trying. */
export const paymentServices = (world: World, account: string): Promise<ConfiguredService[]> =>
  world.cache.get('payment_services', account, () => selectAll(world, account))

async function selectAll(world: World, account: string): Promise<ConfiguredService[]> {
  const rows = await world.db
    .selectFrom('payment_services')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .orderBy('position')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => withSecrets(world, row))
}

const withSecrets = (world: World, row: PaymentServiceRow): ConfiguredService => ({ ...row, values: openFields(world, SEALING_PURPOSE, row) })

const SEALING_PURPOSE = 'payment-service-fields'

export async function paymentService(world: World, account: string, id: string): Promise<ConfiguredService | undefined> {
  const services = await paymentServices(world, account)
  return services.find((service) => service.id === id.toLowerCase())
}

/** Marks it deleted; a payment in flight still finds its credentials. False: there is none. */
export async function deletePaymentService(world: World, account: string, id: string): Promise<boolean> {
  const now = timeOf(world.clock)
  const remove = (db: World['db']) =>
    db
      .updateTable('payment_services')
      .set({ deleted_at: now, updated_at: now, active: false })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .returningAll()
      .executeTakeFirst()
  const row = await changeWithAudit(world, remove, (removed) => entry('deleted', removed))
  if (row) world.changes.invalidate('payment_services')
  return row !== undefined
}

/** One that is not deleted, as it is now. */
export async function findPaymentService(world: World, account: string, id: string): Promise<PaymentService | undefined> {
  const row = await selectNotDeleted(world, account, id).executeTakeFirst()
  return row && toPaymentService(world, row)
}

const selectNotDeleted = ({ db }: Pick<World, 'db'>, account: string, id: string) =>
  db.selectFrom('payment_services').selectAll().where('merchant_account_id', '=', account).where('id', '=', id).where('deleted_at', 'is', null)

export interface PaymentServiceFilter {
  method: Method | null
  /** Those that are deleted, or those that are not. */
  deleted: boolean
}

/** By position, the newest first where it is the same (SEMANTICS §1.11); `placeOf` is where a row stands in this list. */
export function listPaymentServices(
  world: World,
  account: string,
  { method, deleted }: PaymentServiceFilter,
  { limit, position: page }: PageRequest,
) {
  const backwards = page?.direction === 'previous'
  const [position, createdAt] = page?.key.split(' ') ?? []
  const beyond = backwards
    ? sql<boolean>`(position < ${position}::int or (position = ${position}::int and (created_at, id) > (${createdAt}::timestamptz, ${page?.id}::uuid)))`
    : sql<boolean>`(position > ${position}::int or (position = ${position}::int and (created_at, id) < (${createdAt}::timestamptz, ${page?.id}::uuid)))`
  return world.db
    .selectFrom('payment_services')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('deleted_at', deleted ? 'is not' : 'is', null)
    .$if(method !== null, (query) => query.where('method', '=', method))
    .$if(page !== undefined, (query) => query.where(beyond))
    .orderBy('position', backwards ? 'desc' : 'asc')
    .orderBy('created_at', backwards ? 'asc' : 'desc')
    .orderBy('id', backwards ? 'asc' : 'desc')
    .limit(limit + 1)
    .execute()
}

export const cursorPositionOf = ({ position, created_at, id }: PaymentServiceRow) => ({ key: `${position} ${created_at}`, id })

/** The settings have passed `brokenRules`. */
export async function insertPaymentService(
  world: World,
  account: string,
  definition: Definition,
  settings: ServiceSettings,
): Promise<PaymentService> {
  const id = world.ids.next()
  const now = timeOf(world.clock)
  const last = sql<number>`(select coalesce(max(position), 0) + 1 from payment_services where merchant_account_id = ${account} and deleted_at is null)`
  const insert = (db: World['db']) =>
    db
      .insertInto('payment_services')
      .values({
        ...toColumns(world, account, id, definition, settings),
        position: settings.position ?? last,
        merchant_account_id: account,
        id,
        payment_service_definition_id: definition.id,
        method: definition.method,
        reporting_fields: '[]',
        deleted_at: null,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  const row = await changeWithAudit(world, insert, (created) => entry('created', created))
  world.changes.invalidate('payment_services')
  return toPaymentService(world, row)
}

/** Gives the new settings, or throws where they break a rule. */
type SettingsChange = (definitionId: string, settings: ServiceSettings) => { definition: Definition; settings: ServiceSettings }

/** Undefined: there is none. The row is locked during the change, so that two requests cannot each undo the other's fields. */
export async function updatePaymentService(world: World, account: string, id: string, change: SettingsChange): Promise<PaymentService | undefined> {
  const row = await world.db.transaction().execute(async (transaction) => {
    const current = await selectNotDeleted({ db: transaction }, account, id).forUpdate().executeTakeFirst()
    if (!current) return undefined
    const before = toSettings(world, current)
    const { definition, settings } = change(current.payment_service_definition_id, before)
    if (isSame(settings, before)) return current
    const updated = await transaction
      .updateTable('payment_services')
      .set({
        ...toColumns(world, account, id, definition, settings),
        position: settings.position ?? current.position,
        updated_at: timeOf(world.clock),
      })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordChange(transaction, world, entry('updated', updated))
    return updated
  })
  if (!row) return undefined
  world.changes.invalidate('payment_services')
  return toPaymentService(world, row)
}

function toSettings(world: World, row: PaymentServiceRow): ServiceSettings {
  return {
    display_name: row.display_name,
    active: row.active,
    position: row.position,
    accepted_currencies: row.accepted_currencies,
    accepted_countries: row.accepted_countries,
    three_d_secure_enabled: row.three_d_secure_enabled,
    payment_method_tokenization_enabled: row.payment_method_tokenization_enabled,
    network_tokens_enabled: row.network_tokens_enabled,
    open_loop: row.open_loop,
    settlement_reporting_enabled: row.settlement_reporting_enabled,
    merchant_profile: profileOf(row),
    values: withSecrets(world, row).values,
  }
}

/** The column is written from settings only. */
const profileOf = (row: PaymentServiceRow) => row.merchant_profile as ServiceSettings['merchant_profile']

function toColumns(
  world: World,
  account: string,
  id: string,
  definition: Definition,
  { values, merchant_profile, position: _, ...flags }: ServiceSettings,
) {
  return {
    ...flags,
    merchant_profile: merchant_profile && JSON.stringify(merchant_profile),
    ...sealFields(world, SEALING_PURPOSE, { merchant_account_id: account, id }, definition.fields, values),
  }
}

/** As the API shows it: without its secret fields. */
export function toPaymentService(world: World, row: PaymentServiceRow): PaymentService {
  const { secrets: _, deleted_at, ...shown } = row
  return {
    type: 'payment-service',
    ...shown,
    method: methodOf(row),
    status: 'created',
    merchant_profile: profileOf(row),
    webhook_url: notificationUrl(world, row.merchant_account_id, row.id),
    is_deleted: deleted_at !== null,
  }
}

const entry = (action: AuditAction, { merchant_account_id, id, display_name }: PaymentServiceRow): AuditedChange => ({
  account: merchant_account_id,
  action,
  resource: { type: 'payment-service', id, name: display_name },
})
