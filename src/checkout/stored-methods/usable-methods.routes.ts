import { Type } from 'typebox'
import { hasEmbedToken } from '../../api/auth/caller.ts'
import { invalidQuery } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Country, Currency, Nullable, Text, Uuid, Words } from '../../api/schema.ts'
import { countryProblem } from '../../api/values/country.ts'
import { listedBuyer } from '../../buyers/constrain-buyer.ts'
import { withoutFingerprint } from '../../vault/cards/card-fingerprint.ts'
import { PaymentMethodSummaries } from '../../vault/payment-methods/payment-method.schema.ts'
import { usableMethods } from './usable-methods.ts'

const Query = Type.Object({
  buyer_id: Type.Optional(Nullable(Uuid)),
  buyer_external_identifier: Type.Optional(Nullable(Text(1, 200))),
  sort_by: Type.Optional(
    Nullable(Words('last_used_at', 'usage_count', 'cit_last_used_at', 'cit_usage_count')),
  ),
  order_by: Type.Optional(Words('asc', 'desc')),
  country: Type.Optional(Nullable(Country)),
  currency: Type.Optional(Nullable(Currency)),
})

export const usableMethodRoutes: Routes = (app, world) => {
  app.get(
    '/buyers/payment-methods',
    {
      config: { scopes: ['payment-methods.read', 'embed'] },
      schema: {
        operationId: 'list_buyer_payment_methods',
        summary: 'List a buyer’s payment methods',
        description:
          'A buyer’s stored methods that an active payment service takes, for the country and currency of the request. A browser gets those of the buyer in its token, and none if the token has no buyer.',
        tags: ['Buyers - Payment methods'],
        headers: merchantAccountHeader,
        querystring: Query,
        response: { 200: PaymentMethodSummaries },
      },
    },
    async ({ account, query, caller }) => {
      const wrongCountry = query.country && countryProblem(query.country)
      if (wrongCountry) throw invalidQuery('country', wrongCountry)
      const buyer = listedBuyer(caller, query)
      if (!buyer) return { items: [] }
      const items = await usableMethods(world, account, buyer, query)
      return { items: hasEmbedToken(caller) ? items.map(withoutFingerprint) : items }
    },
  )
}
