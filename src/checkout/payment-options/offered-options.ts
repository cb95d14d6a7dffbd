import { paymentServices } from '../../payment-services/payment-service.store.ts'
import { decideOptions } from '../../routing/decide.ts'
import type { Facts } from '../../routing/facts.ts'
import { liveRules } from '../../routing/live-rules.ts'
import type { World } from '../../world.ts'
import { checkoutFacts, selectedOptions } from '../checkout-rules.ts'
import { gatewayMerchantId } from '../digital-wallets/google-pay.ts'
import { registeredWallets } from '../digital-wallets/registered-wallets.ts'
import type { PaymentOption, PaymentOptionRequest } from './payment-option.schema.ts'
import { paymentOptions } from './payment-option.ts'

/**
 * The options of a buyer of this account on these terms, after the account's rules (semantics §12.3).
 * `facts`: what the rules know beyond the terms.
 */
export async function offeredOptions(
  world: World,
  account: string,
  terms: PaymentOptionRequest,
  facts: Partial<Facts> = {},
): Promise<PaymentOption[]> {
  const offer = {
    services: await paymentServices(world, account),
    connectors: world.connectors,
    wallets: await registeredWallets(world, account),
    publicUrl: world.publicUrl,
    gateway: world.settings.googlePayGateway,
    gatewayMerchantId: gatewayMerchantId(world, account),
  }
  const options = paymentOptions(offer, terms)
  const rules = (await liveRules(world, account)).get('checkout')
  return rules
    ? selectedOptions(options, decideOptions(rules, checkoutFacts(world, { ...facts, ...terms })))
    : options
}
