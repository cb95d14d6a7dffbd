import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { PaymentMethodCreate } from '../../checkout/stored-methods/payment-method-create.schema.ts'
import { storePaymentMethod } from '../../checkout/stored-methods/store-payment-method.ts'
import { PaymentMethod } from '../../vault/payment-methods/payment-method.schema.ts'
import { buyerAddress } from '../create/buyer-address.ts'
import { storeAtPaymentService } from './store-at-payment-service.ts'

export const storeMethodRoutes: Routes = (app, world) => {
  app.post(
    '/payment-methods',
    {
      config: { scopes: ['payment-methods.write'] },
      schema: {
        operationId: 'create_payment_method',
        summary: 'Store a payment method',
        description:
          'Stores a card, a bank account, or the card of a checkout session for later payments. No payment service is asked, and a security code is not stored. Only a `provider-token` goes to its payment service, which stores the card by a transaction of zero: `failed` means that it refused, `buyer_approval_required` that the cardholder has to confirm at the `approval_url`, `processing` that its answer is not known yet.',
        tags: ['Payment methods'],
        headers: merchantAccountHeader,
        body: PaymentMethodCreate,
        response: { 201: PaymentMethod },
      },
    },
    async (request, reply) => {
      const { account, body } = request
      const method =
        body.method === 'provider-token'
          ? await storeAtPaymentService(world, account, body, buyerAddress(request))
          : await storePaymentMethod(world, account, body)
      return reply.code(201).send(method)
    },
  )
}
