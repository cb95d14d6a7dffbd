import { Type } from 'typebox'
import { notFound, orNotFound } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import { answerPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { Described, Nullable, pageQuery, Uuid } from '../api/schema.ts'
import { canSeePersonalData } from '../api/visibility/personal-data.ts'
import { readFromReplica } from '../database/replicas/read-from-replica.ts'
import { newestFirstPosition } from '../database/rows/newest-first.ts'
import { Buyer, BuyerCreate, Buyers, BuyerUpdate } from './buyer.schema.ts'
import { deleteBuyer, findBuyerRow, insertBuyer, listBuyers, showBuyer, updateBuyer } from './buyer.store.ts'

const tags = ['Buyers']
const params = Type.Object({ buyer_id: Uuid })
const read = { scopes: ['buyers.read'] }
const write = { scopes: ['buyers.write'] }

const search = Described(
  Type.String(),
  'Part of the display name or of the external identifier, in capitals or not; or the whole id. Without the scope `buyers.billing-details.read` display names are not searched',
)
const externalIdentifier = Described(Type.String(), 'Exactly this external identifier')

export const buyerRoutes: Routes = (app, world) => {
  app.get(
    '/buyers',
    {
      config: read,
      schema: {
        operationId: 'list_buyers',
        summary: 'List buyers',
        description: 'The buyers of the account, the newest first.',
        tags,
        headers,
        querystring: Type.Object({
          ...pageQuery(),
          search: Type.Optional(Nullable(search)),
          external_identifier: Type.Optional(Nullable(externalIdentifier)),
        }),
        response: { 200: Buyers },
      },
    },
    async ({ query, account, caller }) => {
      const filter = {
        search: query.search || null,
        searchesNames: canSeePersonalData(caller),
        externalIdentifier: query.external_identifier ?? null,
      }
      const list = JSON.stringify(['buyers', account, filter])
      return answerPage(world.cipher, list, query, {
        read: (page) => readFromReplica(world, (replica) => listBuyers(replica, account, filter, page)),
        positionOf: newestFirstPosition,
        show: showBuyer,
      })
    },
  )

  app.post(
    '/buyers',
    {
      config: write,
      schema: {
        operationId: 'add_buyer',
        summary: 'Create a buyer',
        description:
          'A buyer of the account. An external identifier that another buyer has is a 409 with the id of that buyer.',
        tags,
        headers,
        body: BuyerCreate,
        response: { 201: Buyer },
      },
    },
    async ({ body, account }, reply) => reply.code(201).send(await insertBuyer(world, account, body)),
  )

  app.get(
    '/buyers/:buyer_id',
    {
      config: read,
      schema: {
        operationId: 'get_buyer',
        summary: 'Get a buyer',
        description: 'One buyer by its id.',
        tags,
        headers,
        params,
        response: { 200: Buyer },
      },
    },
    async ({ params, account }) =>
      showBuyer(orNotFound(await findBuyerRow(world, account, { id: params.buyer_id }))),
  )

  app.put(
    '/buyers/:buyer_id',
    {
      config: write,
      schema: {
        operationId: 'update_buyer',
        summary: 'Update a buyer',
        description:
          'Changes what is named and leaves the rest; null clears. The members of `billing_details` are changed one by one, `address` and `tax_id` each as a whole.',
        tags,
        headers,
        params,
        body: BuyerUpdate,
        response: { 200: Buyer },
      },
    },
    async ({ params, body, account }) => orNotFound(await updateBuyer(world, account, params.buyer_id, body)),
  )

  app.delete(
    '/buyers/:buyer_id',
    {
      config: write,
      schema: {
        operationId: 'delete_buyer',
        summary: 'Delete a buyer',
        description:
          'Its shipping details go with it. Its stored payment methods stay, without a buyer; its transactions keep what they say of it.',
        tags,
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, account }, reply) => {
      if (!(await deleteBuyer(world, account, params.buyer_id))) throw notFound()
      return reply.code(204).send(null)
    },
  )
}
