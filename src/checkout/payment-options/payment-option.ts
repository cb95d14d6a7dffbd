import type { Connector } from '../../connectors/connector.ts'
import type { Connectors } from '../../connectors/registry.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import { iconUrl } from '../../vault/payment-methods/icon.ts'
import { methodNames } from '../../vault/payment-methods/payment-method-definition.ts'
import type { RegisteredWallet } from '../digital-wallets/registered-wallets.ts'
import { labelOf } from './payment-option.label.ts'
import type { PaymentOption, PaymentOptionRequest } from './payment-option.schema.ts'

/** Everything that decides what a buyer may pay with. */
export interface PaymentOptionSources {
  /** Every payment service of the account, in the order of trying. */
  services: readonly ConfiguredService[]
  connectors: Connectors
  wallets: readonly RegisteredWallet[]
  /** Where icons are. */
  publicUrl: string
  /** By which Google Pay knows this instance, and the account (SEMANTICS §11). */
  gateway: string
  gatewayMerchantId: string
}

/** A payment service that takes the payment, and what it is. */
interface EligibleService {
  service: ConfiguredService
  definition: Connector['definition']
}

/** Those of cards that all of the wallets carry. */
const walletSchemes = ['visa', 'mastercard', 'amex', 'discover', 'jcb']
const walletMethods = { apple: 'applepay', google: 'googlepay', 'click-to-pay': 'click-to-pay' } as const

/**
 * What a buyer can pay with: one option for each method that an active payment service takes on these terms, in the order of trying, and the wallets
 * that the account has registered where cards are taken (SEMANTICS §12.3).
 */
export function paymentOptions(offer: PaymentOptionSources, request: PaymentOptionRequest): PaymentOption[] {
  const takers = offer.services.flatMap((service) => eligibleServices(offer.connectors, service, request))
  const byMethod = Map.groupBy(takers, ({ service }) => service.method)
  const methods = [...byMethod].map(([method, those]) => methodOption(offer, method, those, request))
  const card = byMethod.get('card')
  const wallets = card ? offer.wallets.map((wallet) => walletOption(offer, wallet, card, request)) : []
  return [...methods, ...wallets]
}

/** The payment service where it takes this payment; a filter that is absent restricts nothing. */
function eligibleServices(
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

function methodOption(offer: PaymentOptionSources, method: string, takers: readonly EligibleService[], request: PaymentOptionRequest): PaymentOption {
  const isRedirect = takers.some(({ definition }) => definition.mode === 'redirect')
  return {
    ...commonMembers(offer, method, request),
    mode: takers[0]?.definition.mode ?? 'card',
    ...capabilities(takers),
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
  takers: readonly EligibleService[],
  request: PaymentOptionRequest,
): PaymentOption {
  const mode = walletMethods[provider]
  const context = { merchant_name: merchantName, supported_schemes: walletSchemes }
  return {
    ...commonMembers(offer, mode, request),
    mode,
    ...capabilities(takers),
    context: provider === 'google' ? { ...context, gateway: offer.gateway, gateway_merchant_id: offer.gatewayMerchantId } : context,
  }
}

const names: ReadonlyMap<string, string> = new Map(Object.entries(methodNames))

const commonMembers = (offer: PaymentOptionSources, method: string, { locale = 'en' }: PaymentOptionRequest) => ({
  type: 'payment-option' as const,
  method,
  icon_url: iconUrl(offer, 'payment-methods', method),
  label: labelOf(method, names.get(method) ?? method, locale),
})

/** What at least one of them can do. Cards are stored by our own vault, whatever the payment service can. */
const capabilities = (takers: readonly EligibleService[]) => ({
  can_store_payment_method: takers.some(({ definition }) => definition.mode === 'card' || definition.features['payment_method_tokenization']),
  can_delay_capture: takers.some(({ definition }) => definition.features['delayed_capture']),
})
