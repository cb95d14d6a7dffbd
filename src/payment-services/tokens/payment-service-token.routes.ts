import { Type } from 'typebox'
import { badRequest, notFound } from '../../api/errors.ts'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Nullable, Uuid } from '../../api/schema.ts'
import { findPaymentMethodRow } from '../../vault/payment-methods/payment-method.store.ts'
import { isTokenOnly } from '../../vault/payment-methods/token-method.ts'
import {
  PaymentServiceToken,
  PaymentServiceTokenCreate,
  PaymentServiceTokens,
} from './payment-service-token.schema.ts'
import { deleteServiceToken, listServiceTokens, showServiceToken } from './payment-service-token.store.ts'
import { createServiceToken } from './payment-service-token.ts'

const tags = ['Payment methods - Payment service tokens']
const params = Type.Object({ payment_method_id: Uuid })
const tokens = '/payment-methods/:payment_method_id/payment-service-tokens'

/** The tokens by which payment services recognize a stored card (semantics §5.3). */
export const paymentServiceTokenRoutes: Routes = (app, world) => {
  app.get(
    tokens,
    {
      config: { scopes: ['payment-methods.read'] },
      schema: {
        operationId: 'list_payment_method_payment_service_tokens',
        summary: 'List payment service tokens',
        description: 'The tokens by which payment services know a stored card.',
        tags,
        headers,
        params,
        querystring: Type.Object({ payment_service_id: Type.Optional(Nullable(Uuid)) }),
        response: { 200: PaymentServiceTokens },
      },
    },
    async ({ account, params: { payment_method_id: method }, query }) => {
      if (!(await findPaymentMethodRow(world, account, method))) throw notFound()
      const rows = await listServiceTokens(world, account, method, query.payment_service_id ?? null)
      return { items: await Promise.all(rows.map((row) => showServiceToken(world, row))) }
    },
  )

  app.post(
    tokens,
    {
      config: { scopes: ['payment-methods.write'] },
      schema: {
        operationId: 'create_payment_method_payment_service_token',
        summary: 'Create a payment service token',
        description:
          'Has a payment service keep a stored card; the card is then paid with there by the token. The service needs `payment_method_tokenization_enabled`. A security code is handed on and not kept.',
        tags,
        headers,
        params,
        body: PaymentServiceTokenCreate,
        response: { 201: PaymentServiceToken },
      },
    },
    async ({ account, params: { payment_method_id: method }, body }, reply) =>
      reply
        .code(201)
        .send(await showServiceToken(world, await createServiceToken(world, account, method, body))),
  )

  app.delete(
    `${tokens}/:payment_service_token_id`,
    {
      config: { scopes: ['payment-methods.write'] },
      schema: {
        operationId: 'delete_payment_method_payment_service_token',
        summary: 'Delete a payment service token',
        description:
          'The card is paid with by its number at that payment service from then on. 400 for a card without a number here and for a buyer’s account, which the token alone stores: delete the payment method.',
        tags,
        headers,
        params: Type.Object({ payment_method_id: Uuid, payment_service_token_id: Uuid }),
        response: { 204: Type.Null() },
      },
    },
    async ({ account, params: { payment_method_id: method, payment_service_token_id: id } }, reply) => {
      const row = await findPaymentMethodRow(world, account, method)
      if (row && isTokenOnly(row) && (await listServiceTokens(world, account, method, null)).length > 0)
        throw badRequest('The payment method is stored by this token alone: delete the payment method itself')
      if (!(await deleteServiceToken(world, account, method, id))) throw notFound()
      return reply.code(204).send(null)
    },
  )
}
