import { Type } from 'typebox'
import { type Caller, hasEmbedToken } from '../api/auth/caller.ts'
import { notFound } from '../api/errors.ts'
import { merchantAccountHeader as headers, idempotencyHeaders } from '../api/headers.ts'
import { pageOf, readPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { Nullable, pageQuery, Uuid } from '../api/schema.ts'
import { findBuyerRow } from '../buyers/buyer.store.ts'
import { constrainBuyer } from '../buyers/constrain-buyer.ts'
import { readFromReplica } from '../database/replicas/read-from-replica.ts'
import { newestFirstPosition } from '../database/rows/newest-first.ts'
import type { World } from '../world.ts'
import { type AllowedOwner, readBalances } from './balance.ts'
import { createGiftCard } from './create-gift-card.ts'
import { activateGiftCard } from './execution/activation.ts'
import { issueGiftCard } from './execution/issuance.ts'
import {
  GiftCard,
  GiftCardActivationCreate,
  GiftCardBalanceRequest,
  GiftCardCreate,
  GiftCardIssuance,
  GiftCardIssuanceCreate,
  GiftCardSummaries,
  GiftCards,
} from './gift-card.schema.ts'
import { deleteGiftCard, giftCardById, listGiftCards, showGiftCards } from './gift-card.store.ts'

const tags = ['Gift cards']
const params = Type.Object({ gift_card_id: Uuid })

export const giftCardRoutes: Routes = (app, world) => {
  app.get(
    '/gift-cards',
    {
      config: { scopes: ['gift-cards.read'] },
      schema: {
        operationId: 'list_gift_cards',
        summary: 'List gift cards',
        description:
          'The stored gift cards of the account, or of one buyer, the newest first. No gift card service is asked.',
        tags,
        headers,
        querystring: Type.Object({
          ...pageQuery(),
          buyer_id: Type.Optional(Nullable(Uuid)),
          buyer_external_identifier: Type.Optional(Nullable(Type.String())),
        }),
        response: { 200: GiftCards },
      },
    },
    async ({ account, query }) => {
      const selectors = {
        id: query.buyer_id ?? null,
        externalIdentifier: query.buyer_external_identifier ?? null,
      }
      const list = `gift-cards\n${account}\n${JSON.stringify(selectors)}`
      const page = readPage(world.cipher, list, query)
      const { rows, cards } = await readFromReplica(world, async (replica) => {
        const rows = await listGiftCards(replica, account, selectors, page)
        return { rows, cards: await showGiftCards(replica, account, rows) }
      })
      const shown = new Map(cards.map((card) => [card.id, card]))
      const { items, ...envelope } = pageOf(world.cipher, list, page, rows, newestFirstPosition, ({ id }) =>
        shown.get(id),
      )
      return { ...envelope, items: items.filter((card) => card !== undefined) }
    },
  )

  app.post(
    '/gift-cards',
    {
      config: { scopes: ['gift-cards.write', 'embed'] },
      schema: {
        operationId: 'create_gift_card',
        summary: 'Store a gift card',
        description:
          'Asks the gift card service for the card and keeps it, sealed, so that it can be redeemed again. A card that the service refuses or that has expired is a 400, one that the buyer has already a 409.',
        tags,
        headers,
        body: GiftCardCreate,
        response: { 201: GiftCard },
      },
    },
    async ({ account, body, caller }, reply) => {
      return reply.code(201).send(await createGiftCard(world, account, body, constrainBuyer(caller, body)))
    },
  )

  app.post(
    '/gift-cards/balances',
    {
      config: { scopes: ['gift-cards.read', 'embed'] },
      schema: {
        operationId: 'list_gift_card_balances',
        summary: 'Ask for balances',
        description:
          'What the gift card service says of each card, in the order of the request. What is wrong with one card is its `balance_error_code`, and the answer is a 200.',
        tags,
        headers,
        body: GiftCardBalanceRequest,
        response: { 200: GiftCardSummaries },
      },
    },
    async ({ account, body, caller }) => {
      return {
        items: await readBalances(world, account, body.items, await allowedOwner(world, account, caller)),
      }
    },
  )

  app.post(
    '/gift-cards/activations',
    {
      config: { scopes: ['gift-cards.write', 'embed'] },
      schema: {
        operationId: 'activate_gift_card',
        summary: 'Activate a gift card',
        description:
          'Has the gift card service activate a card, and put an amount on it where one is given; with `store` the card is kept. Asked again under the same idempotency key, it is done once.',
        tags,
        headers: idempotencyHeaders,
        body: GiftCardActivationCreate,
        response: { 201: GiftCard },
      },
    },
    async (request, reply) => {
      const { account, body, caller } = request
      const selectors = constrainBuyer(caller, body)
      return reply
        .code(201)
        .send(
          await activateGiftCard(
            world,
            account,
            body,
            selectors,
            request.headers['idempotency-key'] ?? undefined,
          ),
        )
    },
  )

  app.post(
    '/gift-cards/issuances',
    {
      config: { scopes: ['gift-cards.write'] },
      schema: {
        operationId: 'issue_gift_card',
        summary: 'Issue a virtual gift card',
        description:
          'Has the gift card service make a card. Its number is not answered: the buyer finds it at `url`. Asked again under the same idempotency key, it is done once.',
        tags,
        headers: idempotencyHeaders,
        body: GiftCardIssuanceCreate,
        response: { 201: GiftCardIssuance },
      },
    },
    async (request, reply) => {
      const { account, body } = request
      return reply
        .code(201)
        .send(await issueGiftCard(world, account, body, request.headers['idempotency-key'] ?? undefined))
    },
  )

  app.get(
    '/gift-cards/:gift_card_id',
    {
      config: { scopes: ['gift-cards.read'] },
      schema: {
        operationId: 'get_gift_card',
        summary: 'Get a gift card',
        description: 'A stored gift card, without its number and PIN. No gift card service is asked.',
        tags,
        headers,
        params,
        response: { 200: GiftCard },
      },
    },
    async ({ account, params }) => {
      const row = await giftCardById(world, account, params.gift_card_id)
      const [card] = row ? await showGiftCards(world, account, [row]) : []
      if (!card) throw notFound()
      return card
    },
  )

  app.delete(
    '/gift-cards/:gift_card_id',
    {
      config: { scopes: ['gift-cards.write'] },
      schema: {
        operationId: 'delete_gift_card',
        summary: 'Delete a gift card',
        description:
          'Forgets the card with its number and PIN. What was redeemed with it can still be refunded.',
        tags: ['Buyers - Gift cards'],
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ account, params }, reply) => {
      if (!(await deleteGiftCard(world, account, params.gift_card_id))) throw notFound()
      return reply.code(204).send(null)
    },
  )
}

/** A server may name every stored card of the account, a browser only those of the buyer in its token. */
async function allowedOwner(world: World, account: string, caller: Caller): Promise<AllowedOwner> {
  if (!hasEmbedToken(caller)) return { kind: 'any' }
  const { buyer_id: id = null, buyer_external_identifier: externalIdentifier = null } = constrainBuyer(
    caller,
    {},
  )
  const buyer = await findBuyerRow(world, account, { id, externalIdentifier })
  return buyer ? { kind: 'buyer', id: buyer.id } : { kind: 'none' }
}
