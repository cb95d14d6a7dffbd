import type { CheckoutSessionRow } from '../checkout/sessions/checkout-session.store.ts'
import { type ConfiguredService, paymentService } from '../payment-services/payment-service.store.ts'
import type { World } from '../world.ts'
import { providerAssets, servedScript } from './assets.ts'
import type { Provider, ProviderName } from './providers/provider.ts'

/** Whose fields take the card of a session. `none`: this server takes no card numbers, and no provider's script is known. */
export type CardFieldsSource =
  | { kind: 'railyard' }
  | { kind: 'provider'; provider: Provider }
  | { kind: 'none' }

/** The definitions whose provider has fields of its own, and the field of the service that has the public key. */
const scripts: Readonly<Record<string, { name: ProviderName; keyField: string }>> = {
  'adyen-card': { name: 'adyen', keyField: 'client_key' },
  'checkout-card': { name: 'checkout', keyField: 'public_key' },
  'mollie-card': { name: 'mollie', keyField: 'profile_id' },
  'stripe-card': { name: 'stripe', keyField: 'publishable_key' },
}

/**
 * The fields for a session: those of its payment service's provider, unless the service takes card numbers from
 * Railyard, and Railyard takes them.
 */
export async function cardFieldsOf(world: World, session: CheckoutSessionRow): Promise<CardFieldsSource> {
  const takesNumbers = world.settings.cardNumbers === 'accept'
  const { payment_service_id: id, country } = session.details
  const service =
    typeof id === 'string' ? await paymentService(world, session.merchant_account_id, id) : undefined
  const provider = service && providerOf(service, typeof country === 'string' ? country : undefined)
  if (provider && !(takesNumbers && service.values['card_numbers'] === 'allow'))
    return { kind: 'provider', provider }
  return takesNumbers ? { kind: 'railyard' } : { kind: 'none' }
}

/** Undefined: the service is not there any more, its provider has no fields, or its public key is not configured. */
function providerOf(service: ConfiguredService, country: string | undefined): Provider | undefined {
  const script = Object.hasOwn(scripts, service.payment_service_definition_id)
    ? scripts[service.payment_service_definition_id]
    : undefined
  const key = script && service.values[script.keyField]
  if (!script || !key || service.deleted_at || !service.active) return undefined
  const buyerCountry = country ?? service.accepted_countries[0]
  const region = service.values['live_region']
  return {
    name: script.name,
    key,
    isLive: isLive(service),
    ...(region && { region }),
    ...(buyerCountry && { country: buyerCountry }),
    ...servedScript(providerAssets[script.name]),
  }
}

/** Mollie's API keys say it by their prefix, other providers' by theirs or by the service's environment. */
const isLive = ({ values }: ConfiguredService): boolean =>
  values['environment'] === 'production' || values['api_key']?.startsWith('live_') === true
