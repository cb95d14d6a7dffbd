import type { Selectable } from 'kysely'
import {
  cachedServices,
  insertService,
  readServices,
  type ServiceKind,
  type SettingsChange,
  updateService,
  type WithSecrets,
} from '../../configured-services/configured-service.store.ts'
import type { ServiceSettings } from '../../configured-services/fields.ts'
import type { GiftCardServiceDefinition } from '../../connectors/contract/gift-card-connector.ts'
import { withUniqueValue } from '../../database/rows/unique-holder.ts'
import type { GiftCardServiceTable } from '../../database/tables/services.ts'
import type { World } from '../../world.ts'
import type { GiftCardServiceProvider } from '../redemptions/redemption.schema.ts'
import type { ConfiguredGiftCardService } from './gift-card-service.schema.ts'

export type GiftCardServiceRow = Selectable<GiftCardServiceTable>

export type GiftCardServiceWithSecrets = WithSecrets<GiftCardServiceRow>

/** Redemptions of a deleted gift card service can still be undone. */
export const giftCardServiceKind: ServiceKind<
  'gift_card_services',
  GiftCardServiceDefinition,
  ServiceSettings,
  ConfiguredGiftCardService
> = {
  table: 'gift_card_services',
  resourceType: 'gift-card-service',
  purpose: 'gift-card-service-fields',
  order: [],
  definitionIdOf: (row) => row.gift_card_service_definition_id,
  toSettings: ({ display_name, active }, values) => ({ display_name, active, values }),
  toNewColumns: async (_, __, definition, { display_name, active }) => ({
    display_name,
    active,
    gift_card_service_definition_id: definition.id,
  }),
  toChangedColumns: ({ display_name, active }) => ({ display_name, active }),
  show: (_, row) => showGiftCardService(row),
}

/**
 * Every gift card service of an account, deleted ones included: cards and redemptions that came through them
 * still need them. Cached.
 */
export const giftCardServices = (world: World, account: string): Promise<GiftCardServiceWithSecrets[]> =>
  cachedServices(world, giftCardServiceKind, account)

/**
 * The same as they are now; `world.db` may be a database transaction, which must not wait for what another
 * request reads into the cache.
 */
export const readGiftCardServices = (
  world: Pick<World, 'db' | 'cipher'>,
  account: string,
): Promise<GiftCardServiceWithSecrets[]> => readServices(world, giftCardServiceKind, account)

/** Throws 409 `duplicate_record` if this service is active and the account has an active one already. */
export const insertGiftCardService = (
  world: World,
  account: string,
  definition: GiftCardServiceDefinition,
  settings: ServiceSettings,
): Promise<ConfiguredGiftCardService> =>
  withUniquePrimary(world, account, () =>
    insertService(world, giftCardServiceKind, account, definition, settings),
  )

/** Undefined: the account has no such service, or it is deleted. Throws 409 as `insertGiftCardService`. */
export const updateGiftCardService = (
  world: World,
  account: string,
  id: string,
  change: SettingsChange<GiftCardServiceDefinition, ServiceSettings>,
): Promise<ConfiguredGiftCardService | undefined> =>
  withUniquePrimary(world, account, () => updateService(world, giftCardServiceKind, account, id, change))

/** An account has one active gift card service at most. */
const withUniquePrimary = <T>(world: World, account: string, change: () => Promise<T>): Promise<T> =>
  withUniqueValue(
    {
      index: 'gift_card_services_primary',
      findHolder: () => findPrimaryId(world, account),
      message: 'The account has an active gift card service',
    },
    change,
  )

async function findPrimaryId({ db }: World, account: string): Promise<string | undefined> {
  const primary = await db
    .selectFrom('gift_card_services')
    .select('id')
    .where('merchant_account_id', '=', account)
    .where('active', '=', true)
    .executeTakeFirst()
  return primary?.id
}

/** The column is written from definitions only, whose ids the API's schema lists. */
export const providerOf = ({
  gift_card_service_definition_id,
}: Pick<GiftCardServiceRow, 'gift_card_service_definition_id'>) =>
  gift_card_service_definition_id as GiftCardServiceProvider

/** As the API shows it: without its secret fields. */
export function showGiftCardService(row: GiftCardServiceRow): ConfiguredGiftCardService {
  const { secrets: _, fields_changed_at: __, deleted_at, ...shown } = row
  return {
    type: 'gift-card-service',
    ...shown,
    gift_card_service_definition_id: providerOf(row),
    is_deleted: deleted_at !== null,
  }
}
