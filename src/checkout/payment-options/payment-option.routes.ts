import { invalid } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { countryProblem } from '../../api/values/country.ts'
import { isCurrency } from '../../api/values/currency.ts'
import { offeredOptions } from './offered-options.ts'
import { PaymentOptionRequest, PaymentOptions } from './payment-option.schema.ts'

export const paymentOptionRoutes: Routes = (app, world) => {
  app.post(
    '/payment-options',
    {
      config: { scopes: ['payment-options.read', 'embed'] },
      schema: {
        operationId: 'list_payment_options',
        summary: 'List payment options',
        description:
          'The payment methods with which a buyer can pay, for the amount, currency and country of the request.',
        tags: ['Payment options'],
        headers: merchantAccountHeader,
        body: PaymentOptionRequest,
        response: { 200: PaymentOptions },
      },
    },
    async ({ account, body }) => {
      const terms = { ...body, amount: body.amount ?? null, currency: body.currency ?? null }
      if (body.currency && !isCurrency(body.currency))
        throw invalid({ '/currency': 'is not an ISO 4217 code' })
      const wrongCountry = body.country && countryProblem(body.country)
      if (wrongCountry) throw invalid({ '/country': wrongCountry })
      return { items: await offeredOptions(world, account, terms) }
    },
  )
}
