import { badRequest, type Detail, gatewayTimeout } from '../../api/errors.ts'
import type {
  GiftCardConnector,
  GiftCardRefusal,
  GiftCardServiceCall,
} from '../../connectors/contract/gift-card-connector.ts'
import { instrumentedHttp } from '../../connectors/wire/http.ts'
import type { World } from '../../world.ts'
import type { GiftCardService } from '../redemptions/redemption.schema.ts'
import {
  type GiftCardServiceRow,
  type GiftCardServiceWithSecrets,
  giftCardServices,
  providerOf,
} from './gift-card-service.store.ts'

/** A gift card service with its connector, and the first argument of each call to it. */
export interface ReachableService {
  row: GiftCardServiceRow
  connector: GiftCardConnector
  call: GiftCardServiceCall
}

/** The account's active service. Throws 400 if there is none (semantics §10). */
export async function primaryGiftCardService(world: World, account: string): Promise<ReachableService> {
  const row = (await giftCardServices(world, account)).find(({ active }) => active)
  const service = row && toReachableService(world, row)
  if (!service) throw badRequest('The merchant account has no active gift card service')
  return service
}

/**
 * The service with which a stored card was stored, deleted or not. Undefined: this installation has no
 * connector for it any more.
 */
export async function giftCardServiceById(
  world: World,
  account: string,
  id: string,
): Promise<ReachableService | undefined> {
  const row = (await giftCardServices(world, account)).find((service) => service.id === id)
  return row && toReachableService(world, row)
}

function toReachableService(world: World, row: GiftCardServiceWithSecrets): ReachableService | undefined {
  const definition = row.gift_card_service_definition_id
  const connector = world.giftCardConnectors.get(definition)
  const { request } = instrumentedHttp(world, { definition, operation: 'gift-card' })
  return connector && { row, connector, call: { http: request, service: { id: row.id, fields: row.values } } }
}

/** The service as gift cards and issuances show it. */
export const showGiftCardServiceSummary = (row: GiftCardServiceRow): GiftCardService => ({
  type: 'gift-card-service',
  id: row.id,
  gift_card_service_definition_id: providerOf(row),
  display_name: row.display_name,
})

/** 400: the gift card service refused. The type of the detail is the API's code for the reason. */
export const refusedByService = ({ code, rawMessage }: GiftCardRefusal, pointer = '/number') => {
  const detail: Detail = {
    location: 'body',
    pointer,
    message: `was refused by the gift card service: ${rawMessage ?? code}`,
    type: code,
  }
  return badRequest('Request failed validation', [detail])
}

/** 504: the gift card service does not answer. */
export const serviceUnreachable = gatewayTimeout
