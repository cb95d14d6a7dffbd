import { type Selectable, sql } from 'kysely'
import type { PageRequest } from '../api/pagination.ts'
import { canonicalId } from '../api/values/uuid.ts'
import {
  cachedServices,
  positionAfterLast,
  type ServiceKind,
  type WithSecrets,
} from '../configured-services/configured-service.store.ts'
import type { Definition } from '../connectors/contract/connector.ts'
import type { Method } from '../connectors/contract/method.schema.ts'
import type { PaymentServiceTable } from '../database/tables/services.ts'
import type { World } from '../world.ts'
import { methodOf } from './definitions/definition.ts'
import { notificationUrl } from './notification-url.ts'
import type { PaymentService } from './payment-service.schema.ts'
import type { PaymentServiceSettings } from './payment-service.ts'

export type PaymentServiceRow = Selectable<PaymentServiceTable>

export type ConfiguredService = WithSecrets<PaymentServiceRow>

/**
 * Settings are checked with `settingsProblems` before they are stored. A payment in flight still finds the
 * credentials of a deleted service.
 */
export const paymentServiceKind: ServiceKind<
  'payment_services',
  Definition,
  PaymentServiceSettings,
  PaymentService
> = {
  table: 'payment_services',
  resourceType: 'payment-service',
  purpose: 'payment-service-fields',
  order: ['position', 'created_at', 'id'],
  definitionIdOf: (row) => row.payment_service_definition_id,
  toSettings: (row, values) => ({
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
    values,
  }),
  toNewColumns: async (db, account, definition, settings) => ({
    ...toColumns(settings),
    position: settings.position ?? (await positionAfterLast(db, 'payment_services', account)),
    payment_service_definition_id: definition.id,
    method: definition.method,
    reporting_fields: '[]',
  }),
  toChangedColumns: (settings, current) => ({
    ...toColumns(settings),
    position: settings.position ?? current.position,
  }),
  show: toPaymentService,
}

/**
 * Every payment service of an account, deleted ones included since their payments can still be refunded; in
 * the order in which they are tried. Cached.
 */
export const paymentServices = (world: World, account: string): Promise<ConfiguredService[]> =>
  cachedServices(world, paymentServiceKind, account)

/**
 * One of an account's payment services, deleted or not, from the cache. Undefined: the account has no such
 * service.
 */
export async function paymentService(
  world: World,
  account: string,
  id: string,
): Promise<ConfiguredService | undefined> {
  const services = await paymentServices(world, account)
  return services.find((service) => service.id === canonicalId(id))
}

export interface PaymentServiceFilter {
  method: Method | null
  /** True: only deleted services. False: only the others. */
  deleted: boolean
}

/** A page of the services by position; services of the same position newest first (semantics §1.11). */
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

/** Where a row stands in the list of `listPaymentServices`. */
export const cursorPositionOf = ({ position, created_at, id }: PaymentServiceRow) => ({
  key: `${position} ${created_at}`,
  id,
})

/** The column is written from settings only. */
const profileOf = (row: PaymentServiceRow) =>
  row.merchant_profile as PaymentServiceSettings['merchant_profile']

const toColumns = ({ values: _, position: __, merchant_profile, ...columns }: PaymentServiceSettings) => ({
  ...columns,
  merchant_profile: merchant_profile && JSON.stringify(merchant_profile),
})

/** As the API shows it: without its secret fields. */
export function toPaymentService(world: World, row: PaymentServiceRow): PaymentService {
  const { secrets: _, fields_changed_at: __, deleted_at, ...shown } = row
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
