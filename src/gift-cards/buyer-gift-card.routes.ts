import { Type } from 'typebox'
import { invalidQuery } from '../api/errors.ts'
import { merchantAccountHeader } from '../api/headers.ts'
import type { Routes } from '../api/routes.ts'
import { Nullable, Uuid, Words } from '../api/schema.ts'
import { findBuyerRow } from '../buyers/buyer.store.ts'
import { listedBuyer } from '../buyers/constrain-buyer.ts'
import { usableCardsOfBuyer } from './balance.ts'
import { GiftCardSort, GiftCardSummaries } from './gift-card.schema.ts'

const Query = Type.Object({
  buyer_id: Type.Optional(Nullable(Uuid)),
  buyer_external_identifier: Type.Optional(Nullable(Type.String())),
  sort_by: Type.Optional(Nullable(GiftCardSort)),
  order_by: Type.Optional({ ...Words('asc', 'desc'), default: 'desc' }),
})

export const buyerGiftCardRoutes: Routes = (app, world) => {
  app.get(
    '/buyers/gift-cards',
    {
      config: { scopes: ['gift-cards.read', 'embed'] },
      schema: {
        operationId: 'list_buyer_gift_cards',
        summary: 'List a buyer’s gift cards',
        description:
          'What a buyer can pay with, with its balance of this moment. Expired and empty cards are left out for good. A card whose service cannot be asked has no balance and says why. A browser’s token sees the cards of the buyer that it pins, and none where it pins none.',
        tags: ['Buyers - Gift cards'],
        headers: merchantAccountHeader,
        querystring: Query,
        response: { 200: GiftCardSummaries },
      },
    },
    async ({ account, query, caller }) => {
      const key = listedBuyer(caller, query)
      if (!key) return { items: [] }
      if (key.id !== null && key.externalIdentifier !== null)
        throw invalidQuery('buyer_id', 'and buyer_external_identifier exclude each other')
      const buyer = await findBuyerRow(world, account, key)
      if (!buyer) return { items: [] }
      return {
        items: await usableCardsOfBuyer(world, buyer, {
          sortBy: query.sort_by ?? null,
          order: query.order_by ?? 'desc',
        }),
      }
    },
  )
}
