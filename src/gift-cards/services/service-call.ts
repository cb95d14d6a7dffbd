import { badRequest, type Detail, gatewayTimeout } from '../../api/errors.ts'
import type { GiftCardConnector, GiftCardRefusal, GiftCardServiceCall } from '../../connectors/gift-card-connector.ts'
import { instrumentedHttp } from '../../connectors/http.ts'
import type { World } from '../../world.ts'
import type { GiftCardService } from '../redemptions/redemption.schema.ts'
import { type GiftCardServiceRow, giftCardServices, providerOf, type ServiceWithSecrets } from './gift-card-service.store.ts'

/** A gift card service that can be asked, and what each call to it says of it. */
export interface ReachableService {
  row: GiftCardServiceRow
  connector: GiftCardConnector
  call: GiftCardServiceCall
}

/** The account's active service. Throws 400 where there is none (SEMANTICS §10). */
export async function primaryGiftCardService(world: World, account: string): Promise<ReachableService> {
  const row = (await giftCardServices(world, account)).find(({ active }) => active)
  const service = row && reachable(world, row)
  if (!service) throw badRequest('The merchant account has no active gift card service')
  return service
}

/** The service that a stored card came through, deleted or not; undefined where this installation cannot reach it any more. */
export async function giftCardServiceById(world: World, account: string, id: string): Promise<ReachableService | undefined> {
  const row = (await giftCardServices(world, account)).find((service) => service.id === id)
  return row && reachable(world, row)
}

function reachable(world: World, row: ServiceWithSecrets): ReachableService | undefined {
  const definition = row.gift_card_service_definition_id
  const connector = world.giftCardConnectors.get(definition)
  const { request } = instrumentedHttp(world, { definition, operation: 'gift-card' })
  return connector && { row, connector, call: { http: request, service: { id: row.id, fields: row.values } } }
}

/** The service as cards and issuances show it. */
export const showGiftCardServiceSummary = (row: GiftCardServiceRow): GiftCardService => ({
  type: 'gift-card-service',
  id: row.id,
  gift_card_service_definition_id: providerOf(row),
  display_name: row.display_name,
})

/** 400: the service said no; the type of the detail is its code in our words. */
export const refusedByService = ({ code, rawMessage }: GiftCardRefusal, pointer = '/number') => {
  const detail: Detail = { location: 'body', pointer, message: `was refused by the gift card service: ${rawMessage ?? code}`, type: code }
  return badRequest('Request failed validation', [detail])
}

/** 504: the service cannot be asked now. */
export const serviceUnreachable = gatewayTimeout
