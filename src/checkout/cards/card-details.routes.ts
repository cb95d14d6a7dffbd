import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { invalidQuery } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Country, Described, Parameter, Uuid } from '../../api/schema.ts'
import { countryProblem } from '../../api/values/country.ts'
import { isCurrency } from '../../api/values/currency.ts'
import { constrainBuyer } from '../../buyers/constrain-buyer.ts'
import { withRequiredFields } from '../checkout-rules.ts'
import { TransactionIntent, TransactionPaymentSource } from '../payment-terms.schema.ts'
import { Bin, CardDetail } from './card-details.schema.ts'
import { cardDetailOfBin, cardDetailOfStoredCard } from './card-details.ts'

const CardDetailsQuery = Type.Object({
  currency: Described(Type.String(), 'The currency of the payment, ISO 4217'),
  bin: Parameter(Bin, 'The first 6 to 8 digits of the card number; or `payment_method_id`'),
  payment_method_id: Parameter(Uuid, 'A stored card; or `bin`'),
  country: Parameter(Country, 'The country of the payment'),
  amount: Parameter(Type.Integer(), 'The amount of the payment, in the smallest unit of the currency'),
  intent: Parameter(TransactionIntent, 'What the payment will ask for; `authorize` where it is absent'),
  is_subsequent_payment: Parameter(Type.Boolean(), 'Whether it follows an earlier payment of the buyer'),
  merchant_initiated: Parameter(Type.Boolean(), 'Whether the merchant starts it without the buyer'),
  metadata: Parameter(Type.String(), 'A JSON object of strings'),
  payment_source: Parameter(TransactionPaymentSource, 'Where the payment comes from'),
})

export const cardDetailsRoutes: Routes = (app, world) => {
  app.get(
    '/card-details',
    {
      config: { scopes: ['bin-checker.read', 'embed'] },
      schema: {
        operationId: 'get_card_details',
        summary: 'Get card details',
        description:
          'The scheme, type and country of a card, by the first digits of its number or by the id of a stored card.',
        tags: ['Card details'],
        headers: merchantAccountHeader,
        querystring: CardDetailsQuery,
        response: { 200: CardDetail },
      },
    },
    async ({ account, query, caller }) => {
      if (!isCurrency(query.currency)) throw invalidQuery('currency', 'is not an ISO 4217 code')
      const wrongCountry = query.country && countryProblem(query.country)
      if (wrongCountry) throw invalidQuery('country', wrongCountry)
      const metadata = query.metadata ? parseMetadata(query.metadata) : null
      if (metadata === undefined) throw invalidQuery('metadata', 'must be a JSON object of strings')
      const { bin, payment_method_id: stored } = query
      if (bin && stored) throw invalidQuery('bin', 'and payment_method_id exclude each other')
      if (stored)
        return withRequiredFields(
          world,
          account,
          await cardDetailOfStoredCard(world, account, stored, constrainBuyer(caller, {})),
          {
            ...query,
            metadata,
          },
        )
      if (!bin) throw invalidQuery('bin', 'is required where no payment_method_id is given')
      return withRequiredFields(world, account, await cardDetailOfBin(world, bin), { ...query, metadata })
    },
  )
}

/** Undefined: the text is not a JSON object of strings. */
function parseMetadata(text: string): Record<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Check(Metadata, value) ? value : undefined
  } catch {
    return undefined
  }
}

const Metadata = Type.Record(Type.String(), Type.String())
