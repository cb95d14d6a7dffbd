import type { Connector } from '../../connectors/contract/connector.ts'
import type { Connectors } from '../../connectors/registry.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import { iconUrl } from '../../vault/payment-methods/icon.ts'
import type { RegisteredWallet } from '../digital-wallets/registered-wallets.ts'
import { labelOf } from './payment-option.label.ts'
import type { PaymentOption, PaymentOptionRequest } from './payment-option.schema.ts'

/** The data that decide with what a buyer may pay. */
export interface PaymentOptionSources {
  /** Every payment service of the account, in the order of trying. */
  services: readonly ConfiguredService[]
  connectors: Connectors
  wallets: readonly RegisteredWallet[]
  /** The base of the icons' URLs. */
  publicUrl: string
  /** The names of this instance, and of the account, at Google Pay (semantics §11). */
  gateway: string
  gatewayMerchantId: string
}

/** A payment service that takes the payment, and its definition. */
interface EligibleService {
  service: ConfiguredService
  definition: Connector['definition']
}

/** The card schemes that all wallets have. */
const walletSchemes = ['visa', 'mastercard', 'amex', 'discover', 'jcb']
const walletMethods = { apple: 'applepay', google: 'googlepay', 'click-to-pay': 'click-to-pay' } as const

/**
 * One option for each method that an active payment service takes on these terms, in the order of trying, and
 * the account's registered wallets if cards are taken (semantics §12.3).
 */
export function paymentOptions(offer: PaymentOptionSources, request: PaymentOptionRequest): PaymentOption[] {
  const eligible = offer.services.flatMap((service) => eligibleService(offer.connectors, service, request))
  const byMethod = Map.groupBy(eligible, ({ service }) => service.method)
  const methods = [...byMethod].map(([method, services]) => methodOption(offer, method, services, request))
  const card = byMethod.get('card')
  const wallets = card ? offer.wallets.map((wallet) => walletOption(offer, wallet, card, request)) : []
  return [...methods, ...wallets]
}

/** The payment service if it takes this payment, else none; an absent filter restricts nothing. */
function eligibleService(
  connectors: Connectors,
  service: ConfiguredService,
  { country, currency, amount }: PaymentOptionRequest,
): EligibleService[] {
  const definition = connectors.get(service.payment_service_definition_id)?.definition
  if (!definition || service.deleted_at || !service.active) return []
  if (country && !service.accepted_countries.includes(country)) return []
  if (currency && !service.accepted_currencies.includes(currency)) return []
  if (amount === 0 && !definition.features['zero_auth']) return []
  return [{ service, definition }]
}

function methodOption(
  offer: PaymentOptionSources,
  method: string,
  services: readonly EligibleService[],
  request: PaymentOptionRequest,
): PaymentOption {
  const isRedirect = services.some(({ definition }) => definition.mode === 'redirect')
  return {
    ...commonMembers(offer, method, request),
    mode: services[0]?.definition.mode ?? 'card',
    ...capabilities(services),
    context: isRedirect
      ? {
          approval_ui: { height: '100vh', width: '100vw' },
          required_fields: null,
          redirect_requires_popup: false,
          requires_tokenized_redirect_popup: false,
        }
      : null,
  }
}

function walletOption(
  offer: PaymentOptionSources,
  { provider, merchantName }: RegisteredWallet,
  services: readonly EligibleService[],
  request: PaymentOptionRequest,
): PaymentOption {
  const mode = walletMethods[provider]
  const context = { merchant_name: merchantName, supported_schemes: walletSchemes }
  return {
    ...commonMembers(offer, mode, request),
    mode,
    ...capabilities(services),
    context:
      provider === 'google'
        ? { ...context, gateway: offer.gateway, gateway_merchant_id: offer.gatewayMerchantId }
        : context,
  }
}

const commonMembers = (
  offer: PaymentOptionSources,
  method: string,
  { locale = 'en' }: PaymentOptionRequest,
) => ({
  type: 'payment-option' as const,
  method,
  icon_url: iconUrl(offer, 'payment-methods', method),
  label: labelOf(method, locale),
})

/**
 * What at least one of the payment services can do. Our own vault stores cards, whatever the payment service
 * can do.
 */
const capabilities = (services: readonly EligibleService[]) => ({
  can_store_payment_method: services.some(
    ({ definition }) => definition.mode === 'card' || definition.features['payment_method_tokenization'],
  ),
  can_delay_capture: services.some(({ definition }) => definition.features['delayed_capture']),
})
