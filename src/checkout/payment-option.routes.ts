import { isCurrency } from '../api/currency.ts'
import { invalid } from '../api/errors.ts'
import { merchantAccountHeader } from '../api/headers.ts'
import { pinsOf, refuseOthers } from '../api/pinned.ts'
import type { Routes } from '../api/routes.ts'
import { paymentServices } from '../payment-services/payment-service.store.ts'
import { decideOptions } from '../routing/decide.ts'
import { liveRules } from '../routing/live-rules.ts'
import { checkoutFacts, selectedOptions } from './checkout-rules.ts'
import { gatewayMerchantId } from './google-pay.ts'
import { PaymentOptionRequest, PaymentOptions } from './payment-option.schema.ts'
import { paymentOptions } from './payment-option.ts'
import { registeredWallets } from './registered-wallets.ts'

export const paymentOptionRoutes: Routes = (app, world) => {
  app.post(
    '/payment-options',
    {
      config: { scopes: ['payment-options.read', 'embed'] },
      schema: {
        operationId: 'list_payment_options',
        summary: 'List payment options',
        description: 'What a buyer can pay with, for the amount, currency and country where they are given.',
        tags: ['Payment options'],
        headers: merchantAccountHeader,
        body: PaymentOptionRequest,
        response: { 200: PaymentOptions },
      },
    },
    async ({ account, body, caller }) => {
      const pins = pinsOf(caller)
      refuseOthers(pins, body, 'body')
      const terms = { ...body, amount: pins.amount ?? body.amount ?? null, currency: pins.currency ?? body.currency ?? null }
      if (body.currency && !isCurrency(body.currency)) throw invalid({ '/currency': 'is not an ISO 4217 code' })
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
      return { items: rules ? selectedOptions(options, decideOptions(rules, checkoutFacts(world, terms))) : options }
    },
  )
}
