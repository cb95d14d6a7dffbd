import { type InsertObject, type Kysely, type Selectable, sql, type UpdateObject } from 'kysely'
import type { PageRequest } from '../api/pagination.ts'
import type { Purpose } from '../base/cipher.ts'
import { timeOf } from '../base/clock.ts'
import type { FieldDefinition } from '../connectors/contract/connector.ts'
import {
  type AuditAction,
  type AuditedChange,
  changeWithAudit,
  recordChange,
} from '../database/logs/audit-log.ts'
import { newestFirst } from '../database/rows/newest-first.ts'
import { isSame } from '../database/rows/would-change.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import type { FieldValues, ServiceSettings } from './fields.ts'
import { openFields, sealFields } from './sealed-fields.ts'

/** The tables of the services that merchants configure. Each is the topic of its cached copies, too. */
type ServiceTable = 'payment_services' | 'gift_card_services' | 'anti_fraud_services'

type ServiceRow<T extends ServiceTable> = Selectable<Tables[T]>

/** A configured service with its secret fields in the clear. It stays in this process and is never shown. */
export type WithSecrets<Row> = Row & {
  /** Every field by its key, the secret ones included. */
  values: FieldValues
}

/** The columns that this file writes for every kind of service. */
type CommonColumn =
  | 'merchant_account_id'
  | 'id'
  | 'fields'
  | 'secrets'
  | 'fields_changed_at'
  | 'deleted_at'
  | 'created_at'
  | 'updated_at'

interface ServiceDefinition {
  id: string
  fields: readonly FieldDefinition[]
}

/** Where services of one kind are stored, and how. */
interface ServiceStorage<T extends ServiceTable> {
  table: T
  /** The `type` of the resource, in the API and in the audit log. */
  resourceType: string
  /** The purpose of the key that seals the secret fields. */
  purpose: Purpose
  /** The columns that `readServices` sorts by; none: in any order. */
  order: readonly ('position' | 'created_at' | 'id')[]
}

/** What differs between payment services, gift card services and anti-fraud services. */
export interface ServiceKind<
  T extends ServiceTable,
  Definition extends ServiceDefinition,
  Settings extends ServiceSettings,
  Shown,
> extends ServiceStorage<T> {
  definitionIdOf(row: ServiceRow<T>): string
  toSettings(row: ServiceRow<T>, values: FieldValues): Settings
  toNewColumns(
    db: Kysely<Tables>,
    account: string,
    definition: Definition,
    settings: Settings,
  ): Promise<Omit<InsertObject<Tables, T>, CommonColumn>>
  toChangedColumns(settings: Settings, current: ServiceRow<T>): Omit<UpdateObject<Tables, T>, CommonColumn>
  /** As the API shows it: without its secret fields. */
  show(world: World, row: ServiceRow<T>): Shown
}

/** Every service of an account, deleted ones included, from the cache. */
export const cachedServices = <T extends ServiceTable>(
  world: World,
  kind: ServiceStorage<T>,
  account: string,
): Promise<WithSecrets<ServiceRow<T>>[]> =>
  world.cache.get(kind.table, account, () => readServices(world, kind, account))

/**
 * Every service of an account, deleted ones included, as they are now. `world.db` may be a database
 * transaction.
 */
export async function readServices<T extends ServiceTable>(
  world: Pick<World, 'db' | 'cipher'>,
  { table, purpose, order }: ServiceStorage<T>,
  account: string,
): Promise<WithSecrets<ServiceRow<T>>[]> {
  let query = world.db.selectFrom<ServiceTable>(table).selectAll().where('merchant_account_id', '=', account)
  for (const column of order) query = query.orderBy(sql.ref(column))
  const rows = await query.execute()
  return rows.map((row) => ({ ...(row as ServiceRow<T>), values: openFields(world, purpose, row) }))
}

const selectService = ({ db }: Pick<World, 'db'>, table: ServiceTable, account: string, id: string) =>
  db
    .selectFrom(table)
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)

/** As it is now. Undefined: the account has no such service, or it is deleted. */
export async function findService<
  T extends ServiceTable,
  D extends ServiceDefinition,
  S extends ServiceSettings,
  Shown,
>(world: World, kind: ServiceKind<T, D, S, Shown>, account: string, id: string): Promise<Shown | undefined> {
  const row = await selectService(world, kind.table, account, id).executeTakeFirst()
  return row && kind.show(world, row as ServiceRow<T>)
}

/** A page of the services that are not deleted, the newest first. */
export async function listServices<T extends ServiceTable>(
  world: World,
  table: T,
  account: string,
  page: PageRequest,
): Promise<ServiceRow<T>[]> {
  const rows = await world.db
    .selectFrom<ServiceTable>(table)
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('deleted_at', 'is', null)
    .$call(newestFirst(page))
    .execute()
  return rows as ServiceRow<T>[]
}

/** Configures a service. The caller has checked the settings. */
export async function insertService<
  T extends ServiceTable,
  D extends ServiceDefinition,
  S extends ServiceSettings,
  Shown,
>(
  world: World,
  kind: ServiceKind<T, D, S, Shown>,
  account: string,
  definition: D,
  settings: S,
): Promise<Shown> {
  const key = { merchant_account_id: account, id: world.ids.next() }
  const now = timeOf(world.clock)
  const insert = async (db: Kysely<Tables>) => {
    const columns = {
      ...(await kind.toNewColumns(db, account, definition, settings)),
      ...sealFields(world, kind.purpose, key, definition.fields, settings.values),
      ...key,
      deleted_at: null,
      created_at: now,
      updated_at: now,
    }
    return db
      .insertInto<ServiceTable>(kind.table)
      .values(columns as unknown as InsertObject<Tables, ServiceTable>)
      .returningAll()
      .executeTakeFirstOrThrow()
  }
  const row = await changeWithAudit(world, insert, (created) => serviceChange(kind, 'created', created))
  world.changes.invalidate(kind.table)
  return kind.show(world, row as ServiceRow<T>)
}

/**
 * Answers the new settings; throws 400 if they break a rule. `isSameAccount`: the new fields are of the same
 * account of the provider for certain.
 */
export type SettingsChange<D, S> = (
  definitionId: string,
  settings: S,
) => { definition: D; settings: S; isSameAccount?: true }

/**
 * Changes a service's settings. The row is locked meanwhile, so that two requests cannot each undo the
 * other's fields. Undefined: the account has no such service, or it is deleted.
 */
export async function updateService<
  T extends ServiceTable,
  D extends ServiceDefinition,
  S extends ServiceSettings,
  Shown,
>(
  world: World,
  kind: ServiceKind<T, D, S, Shown>,
  account: string,
  id: string,
  change: SettingsChange<D, S>,
): Promise<Shown | undefined> {
  const row = await world.db.transaction().execute(async (transaction) => {
    const row = await selectService({ db: transaction }, kind.table, account, id)
      .forUpdate()
      .executeTakeFirst()
    if (!row) return undefined
    const current = row as ServiceRow<T>
    const before = kind.toSettings(current, openFields(world, kind.purpose, row))
    const { definition, settings, isSameAccount = false } = change(kind.definitionIdOf(current), before)
    if (isSame(settings, before)) return current
    const now = timeOf(world.clock)
    const columns = {
      ...kind.toChangedColumns(settings, current),
      ...sealFields(world, kind.purpose, row, definition.fields, settings.values),
      ...(!isSameAccount && !isSame(settings.values, before.values) && { fields_changed_at: now }),
      updated_at: now,
    }
    const updated = await transaction
      .updateTable<ServiceTable>(kind.table)
      .set(columns as unknown as UpdateObject<Tables, ServiceTable>)
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordChange(transaction, world, serviceChange(kind, 'updated', updated))
    return updated as ServiceRow<T>
  })
  if (!row) return undefined
  world.changes.invalidate(kind.table)
  return kind.show(world, row)
}

/**
 * Marks a service as deleted; what went through it keeps its credentials. False: the account has no such
 * service, or it is deleted already.
 */
export async function deleteService(
  world: World,
  kind: ServiceStorage<ServiceTable>,
  account: string,
  id: string,
): Promise<boolean> {
  const now = timeOf(world.clock)
  const remove = (db: Kysely<Tables>) =>
    db
      .updateTable(kind.table)
      .set({ deleted_at: now, updated_at: now, active: false })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .returningAll()
      .executeTakeFirst()
  const row = await changeWithAudit(world, remove, (removed) => serviceChange(kind, 'deleted', removed))
  if (row) world.changes.invalidate(kind.table)
  return row !== undefined
}

/** The position after the account's last service, for a new one that names none. */
export async function positionAfterLast(
  db: Kysely<Tables>,
  table: 'payment_services' | 'anti_fraud_services',
  account: string,
): Promise<number> {
  const last = await db
    .selectFrom(table)
    .select(({ fn }) => fn.max('position').as('position'))
    .where('merchant_account_id', '=', account)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return (last?.position ?? 0) + 1
}

const serviceChange = (
  { resourceType }: ServiceStorage<ServiceTable>,
  action: AuditAction,
  {
    merchant_account_id,
    id,
    display_name,
  }: { merchant_account_id: string; id: string; display_name: string },
): AuditedChange => ({
  account: merchant_account_id,
  action,
  resource: { type: resourceType, id, name: display_name },
})
