import { insertService } from '../configured-services/configured-service.store.ts'
import type { FieldValues } from '../configured-services/fields.ts'
import { insertGiftCardService } from '../gift-cards/services/gift-card-service.store.ts'
import { supportedCountries, supportedCurrencies } from '../payment-services/definitions/definition.ts'
import { paymentServiceKind } from '../payment-services/payment-service.store.ts'
import { newServiceSettings } from '../payment-services/payment-service.ts'
import type { World } from '../world.ts'

/** The values of the fields of the sandbox's payment services, by the ids of their definitions. */
const sandboxServices: Record<string, FieldValues> = {
  'mock-card': { merchant_id: 'sandbox' },
  'wallet-wallet': {
    client_id: 'sandbox',
    client_secret: 'sandbox',
    environment: 'simulator',
    webhook_id: 'sandbox',
  },
  'bnpl-bnpl': { username: 'sandbox', password: 'sandbox', client_id: 'sandbox', environment: 'simulator' },
}

/**
 * Inserts a payment service of each kind, and a gift card service, for a merchant account. Returns the ids of
 * the payment services by the ids of their definitions.
 */
export async function insertSandboxServices(world: World, account: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for (const [id, values] of Object.entries(sandboxServices)) {
    const definition = world.connectors.get(id)?.definition
    if (!definition) continue
    const accepted_currencies = [...supportedCurrencies(definition)]
    const accepted_countries = [...supportedCountries(definition)]
    const settings = {
      ...newServiceSettings(definition),
      display_name: definition.displayName,
      accepted_currencies,
      accepted_countries,
      open_loop: false,
      values,
    }
    const { id: service } = await insertService(world, paymentServiceKind, account, definition, settings)
    ids.set(id, service)
  }
  const giftCards = world.giftCardConnectors.get('mock-gift-card')?.definition
  if (giftCards) {
    const settings = { display_name: giftCards.displayName, active: true, values: { api_key: 'sandbox' } }
    await insertGiftCardService(world, account, giftCards, settings)
  }
  return ids
}
