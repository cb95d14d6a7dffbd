import { Type } from 'typebox'
import { type Caller, hasEmbedToken } from '../../api/auth/caller.ts'
import { invalid, notFound, orNotFound } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import { answerPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { Nullable, pageQuery, Uuid } from '../../api/schema.ts'
import { findBuyerRow } from '../../buyers/buyer.store.ts'
import { constrainBuyer } from '../../buyers/constrain-buyer.ts'
import { readFromReplica } from '../../database/replicas/read-from-replica.ts'
import { newestFirstPosition } from '../../database/rows/newest-first.ts'
import { cardExpiryProblem } from '../cards/card.ts'
import { showPaymentMethod } from './payment-method.representation.ts'
import {
  PaymentMethod,
  PaymentMethodStatus,
  PaymentMethods,
  PaymentMethodUpdate,
} from './payment-method.schema.ts'
import {
  deletePaymentMethod,
  findPaymentMethod,
  listPaymentMethods,
  updatePaymentMethod,
} from './payment-method.store.ts'

const tags = ['Payment methods']
const read = { scopes: ['payment-methods.read'] }
const params = Type.Object({ payment_method_id: Uuid })

export const paymentMethodRoutes: Routes = (app, world) => {
  app.get(
    '/payment-methods',
    {
      config: read,
      schema: {
        operationId: 'list_payment_methods',
        summary: 'List payment methods',
        description:
          'The payment methods that the account keeps, the newest first. Card numbers are never answered.',
        tags,
        headers: merchantAccountHeader,
        querystring: Type.Object({
          ...pageQuery(),
          buyer_id: Type.Optional(Nullable(Uuid)),
          buyer_external_identifier: Type.Optional(Nullable(Type.String())),
          status: Type.Optional(Nullable(Type.Array(PaymentMethodStatus))),
          external_identifier: Type.Optional(Nullable(Type.String())),
        }),
        response: { 200: PaymentMethods },
      },
    },
    async ({ account, query }) => {
      const filter = {
        buyerId: query.buyer_id ?? null,
        buyerExternalIdentifier: query.buyer_external_identifier ?? null,
        status: query.status ?? [],
        externalIdentifier: query.external_identifier ?? null,
      }
      const list = `payment-methods/${account}/${JSON.stringify(filter)}`
      return answerPage(world.cipher, list, query, {
        read: (page) =>
          readFromReplica(world, (replica) => listPaymentMethods(replica, account, filter, page)),
        positionOf: ({ row }) => newestFirstPosition(row),
        show: ({ row, buyer }) => showPaymentMethod(row, buyer),
      })
    },
  )

  app.get(
    '/payment-methods/:payment_method_id',
    {
      config: read,
      schema: {
        operationId: 'get_payment_method',
        summary: 'Get a payment method',
        description: 'One payment method by its id.',
        tags,
        headers: merchantAccountHeader,
        params,
        response: { 200: PaymentMethod },
      },
    },
    async ({ account, params }) =>
      orNotFound(await findPaymentMethod(world, account, params.payment_method_id)),
  )

  app.put(
    '/payment-methods/:payment_method_id',
    {
      config: { scopes: ['payment-methods.write'] },
      schema: {
        operationId: 'update_payment_method',
        summary: 'Update a payment method',
        description:
          'Changes the expiry date of a card, or the scheme’s transaction id to which later payments refer.',
        tags,
        headers: merchantAccountHeader,
        params,
        body: PaymentMethodUpdate,
        response: { 200: PaymentMethod },
      },
    },
    async ({ account, params, body }) => {
      const problem = body.expiration_date
        ? cardExpiryProblem(body.expiration_date, world.clock.now())
        : undefined
      if (problem) throw invalid({ '/expiration_date': problem })
      return orNotFound(await updatePaymentMethod(world, account, params.payment_method_id, body))
    },
  )

  app.delete(
    '/payment-methods/:payment_method_id',
    {
      config: { scopes: ['payment-methods.write', 'embed'] },
      schema: {
        operationId: 'delete_payment_method',
        summary: 'Delete a payment method',
        description:
          'Erases it with its tokens. Transactions keep what they show of it. A browser’s token deletes only the methods of the buyer in the token.',
        tags,
        headers: merchantAccountHeader,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ account, params, caller }, reply) => {
      const deleted = hasEmbedToken(caller)
        ? await deleteOfBrowserBuyer(caller, account, params.payment_method_id)
        : await deletePaymentMethod(world, account, params.payment_method_id)
      if (!deleted) throw notFound()
      return reply.code(204).send(null)
    },
  )

  /**
   * Deletes a payment method of the buyer in the browser's token; false if the token has no buyer (semantics
   * §1.4).
   */
  async function deleteOfBrowserBuyer(caller: Caller, account: string, id: string): Promise<boolean> {
    const { buyer_id, buyer_external_identifier } = constrainBuyer(caller, {})
    const buyer = await findBuyerRow(world, account, {
      id: buyer_id ?? null,
      externalIdentifier: buyer_external_identifier ?? null,
    })
    return buyer !== undefined && (await deletePaymentMethod(world, account, id, buyer.id))
  }
}
