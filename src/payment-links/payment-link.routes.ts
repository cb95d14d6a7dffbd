import { Type } from 'typebox'
import { notFound } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import type { Routes } from '../api/routes.ts'
import { Uuid } from '../api/schema.ts'
import { showPaymentLink } from './payment-link.representation.ts'
import { PaymentLink, PaymentLinkCreate } from './payment-link.schema.ts'
import { findPaymentLink, insertPaymentLink } from './payment-link.store.ts'

const tags = ['Payment links']
const params = Type.Object({ payment_link_id: Uuid })
const read = { scopes: ['payment-links.read'] }
const write = { scopes: ['payment-links.write'] }

export const paymentLinkRoutes: Routes = (app, world) => {
  app.post(
    '/payment-links',
    {
      config: write,
      schema: {
        operationId: 'add_payment_link',
        summary: 'Create a payment link',
        description: 'A page of ours that a buyer pays on, once; `url` is what the merchant sends them.',
        tags,
        headers,
        body: PaymentLinkCreate,
        response: { 201: PaymentLink },
      },
    },
    async ({ account, body }, reply) => reply.code(201).send(showPaymentLink(world, await insertPaymentLink(world, account, body))),
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
    async ({ account, params }) => {
      const row = await findPaymentLink(world, account, params.payment_link_id)
      if (!row) throw notFound()
      return showPaymentLink(world, row)
    },
  )
}
