import { Type } from 'typebox'
import { badRequest, notFound, orNotFound } from '../api/errors.ts'
import { merchantAccountHeader as headers, idempotencyHeaders } from '../api/headers.ts'
import { answerPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { Uuid } from '../api/schema.ts'
import { readFromReplica } from '../database/replicas/read-from-replica.ts'
import { lastUpdatedFirstPosition } from '../database/rows/newest-first.ts'
import { expirePaymentLink } from './expire-links.ts'
import { listPaymentLinks } from './payment-link.list.ts'
import { showPaymentLink } from './payment-link.representation.ts'
import { PaymentLink, PaymentLinkCreate, PaymentLinkQuery, PaymentLinks } from './payment-link.schema.ts'
import { findPaymentLink, insertPaymentLink } from './payment-link.store.ts'
import type { PaymentLinkRow } from './payment-link.ts'

const tags = ['Payment links']
const params = Type.Object({ payment_link_id: Uuid })
const read = { scopes: ['payment-links.read'] }
const write = { scopes: ['payment-links.write'] }

export const paymentLinkRoutes: Routes = (app, world) => {
  const show = (row: PaymentLinkRow) => showPaymentLink(world, row)

  app.get(
    '/payment-links',
    {
      config: read,
      schema: {
        operationId: 'list_payment_links',
        summary: 'List payment links',
        description:
          'The account’s links, the most recently changed first. Values of one filter are alternatives, different filters all apply.',
        tags,
        headers,
        querystring: PaymentLinkQuery,
        response: { 200: PaymentLinks },
      },
    },
    async ({ account, query: { cursor, limit, ...filters } }) => {
      const list = JSON.stringify(['payment-links', account, filters])
      return answerPage(
        world.cipher,
        list,
        { cursor, limit },
        {
          read: (page) =>
            readFromReplica(world, (replica) => listPaymentLinks(replica, account, filters, page)),
          positionOf: lastUpdatedFirstPosition,
          show,
        },
      )
    },
  )

  app.post(
    '/payment-links',
    {
      config: write,
      schema: {
        operationId: 'add_payment_link',
        summary: 'Create a payment link',
        description:
          'A page of Railyard on which a buyer pays once; the merchant sends the buyer its `url`. With the `intent` `capture` the money is taken; with `authorize` it is reserved, and the merchant captures it. Sent again under the same idempotency key, it answers the first link as it is now.',
        tags,
        headers: idempotencyHeaders,
        body: PaymentLinkCreate,
        response: { 201: PaymentLink },
      },
    },
    async ({ account, body, headers: sent }, reply) => {
      const link = await insertPaymentLink(world, account, body, sent['idempotency-key'] ?? undefined)
      return reply.code(201).send(show(link))
    },
  )

  app.get(
    '/payment-links/:payment_link_id',
    {
      config: read,
      schema: {
        operationId: 'get_payment_link',
        summary: 'Get a payment link',
        description: 'One link by its id, with its status now.',
        tags,
        headers,
        params,
        response: { 200: PaymentLink },
      },
    },
    async ({ account, params }) =>
      show(orNotFound(await findPaymentLink(world, account, params.payment_link_id))),
  )

  app.post(
    '/payment-links/:payment_link_id/expire',
    {
      config: write,
      schema: {
        operationId: 'expire_payment_link',
        summary: 'Expire a payment link',
        description:
          'The link cannot be paid any more. A link that has expired stays so; a link through which a payment succeeded or is under way is a 400.',
        tags,
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ account, params: { payment_link_id: id } }, reply) => {
      if (!(await expirePaymentLink(world, account, id))) {
        const row = await findPaymentLink(world, account, id)
        if (!row) throw notFound()
        if (row.status !== 'expired')
          throw badRequest(
            row.status === 'completed'
              ? 'A payment through this link has succeeded already'
              : 'A payment of this link is under way',
          )
      }
      return reply.code(204).send(null)
    },
  )
}
