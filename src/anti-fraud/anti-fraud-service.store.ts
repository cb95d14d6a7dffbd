import type { Selectable } from 'kysely'
import {
  cachedServices,
  positionAfterLast,
  type ServiceKind,
  type WithSecrets,
} from '../configured-services/configured-service.store.ts'
import type { ServiceSettings } from '../configured-services/fields.ts'
import type { AntiFraudDefinition } from '../connectors/contract/anti-fraud-connector.ts'
import { signedNotificationUrl } from '../connectors/wire/signed-notification-url.ts'
import type { AntiFraudServiceTable } from '../database/tables/services.ts'
import type { World } from '../world.ts'
import type { AntiFraudService } from './anti-fraud-service.schema.ts'
import { antiFraudNotifications } from './notification-url.ts'

export type AntiFraudServiceRow = Selectable<AntiFraudServiceTable>

export type ConfiguredAntiFraudService = WithSecrets<AntiFraudServiceRow>

export interface AntiFraudServiceSettings extends ServiceSettings {
  /** Null: after the account's last service. */
  position: number | null
}

/**
 * A deleted anti-fraud service gets no more payments to check, but may still decide those that it reviews.
 */
export const antiFraudServiceKind: ServiceKind<
  'anti_fraud_services',
  AntiFraudDefinition,
  AntiFraudServiceSettings,
  AntiFraudService
> = {
  table: 'anti_fraud_services',
  resourceType: 'anti-fraud-service',
  purpose: 'anti-fraud-service-fields',
  order: ['position', 'created_at', 'id'],
  definitionIdOf: (row) => row.anti_fraud_service_definition_id,
  toSettings: ({ display_name, active, position }, values) => ({ display_name, active, position, values }),
  toNewColumns: async (db, account, definition, { display_name, active, position }) => ({
    display_name,
    active,
    position: position ?? (await positionAfterLast(db, 'anti_fraud_services', account)),
    anti_fraud_service_definition_id: definition.id,
  }),
  toChangedColumns: ({ display_name, active, position }, current) => ({
    display_name,
    active,
    position: position ?? current.position,
  }),
  show: showAntiFraudService,
}

/**
 * Every anti-fraud service of an account, deleted ones included since they may still decide reviews; in the
 * order in which they are asked. Cached.
 */
export const antiFraudServices = (world: World, account: string): Promise<ConfiguredAntiFraudService[]> =>
  cachedServices(world, antiFraudServiceKind, account)

/** As the API shows it: without its secret fields. */
export function showAntiFraudService(
  world: Pick<World, 'cipher' | 'publicUrl'>,
  row: AntiFraudServiceRow,
): AntiFraudService {
  const { secrets: _, fields_changed_at: __, deleted_at, ...shown } = row
  return {
    type: 'anti-fraud-service',
    ...shown,
    webhook_url: signedNotificationUrl(world, antiFraudNotifications, row.merchant_account_id, row.id),
    is_deleted: deleted_at !== null,
  }
}
