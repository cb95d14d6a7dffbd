import { Type } from 'typebox'
import { notFound, orNotFound } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import type { Routes } from '../api/routes.ts'
import { Uuid } from '../api/schema.ts'
import { canonicalId } from '../api/values/uuid.ts'
import { findBuyerErasure, showBuyerErasure } from './buyer-erasure.store.ts'
import { BuyerErasure, TransactionErasure } from './erasure.schema.ts'
import { erasureApproval } from './erasure-approval.ts'
import { requestBuyerErasure } from './request-erasure.ts'
import { findTransactionErasure, requestTransactionErasure } from './transaction-erasure.ts'

const tags = ['Erasure']
const buyerParams = Type.Object({ buyer_id: Uuid })
const transactionParams = Type.Object({ transaction_id: Uuid })

/** An erasure cannot be undone, so it needs a scope of its own, which only administrators' roles have. */
const ERASE = 'erasures.write'

export const erasureRoutes: Routes = (app, world) => {
  app.post(
    '/buyers/:buyer_id/erase',
    {
      config: {
        scopes: ['buyers.write', ERASE],
        everyScope: true,
        approval: erasureApproval('buyer', 'buyer_id'),
      },
      schema: {
        operationId: 'erase_buyer',
        summary: 'Erase a buyer',
        description:
          'Deletes the buyer with everything that is stored for them, and removes their personal data from their payments, payouts, links, events and timelines. Amounts, statuses and the audit log stay. It cannot be undone. The erasure waits for operations that are under way: read it for its status. A buyer that was deleted before is erased by its id.',
        tags,
        headers,
        params: buyerParams,
        response: { 202: BuyerErasure },
      },
    },
    async ({ params, account }, reply) => {
      const erasure = await requestBuyerErasure(world, account, canonicalId(params.buyer_id))
      if (!erasure) throw notFound()
      return reply.code(202).send(showBuyerErasure(erasure))
    },
  )

  app.get(
    '/buyers/:buyer_id/erasure',
    {
      config: { scopes: ['buyers.read'] },
      schema: {
        operationId: 'get_buyer_erasure',
        summary: 'Get the erasure of a buyer',
        description: 'The state of the erasure of a buyer. 404 if none was requested.',
        tags,
        headers,
        params: buyerParams,
        response: { 200: BuyerErasure },
      },
    },
    async ({ params, account }) =>
      showBuyerErasure(orNotFound(await findBuyerErasure(world, account, params.buyer_id))),
  )

  app.post(
    '/transactions/:transaction_id/erase',
    {
      config: {
        scopes: ['transactions.write', ERASE],
        everyScope: true,
        approval: erasureApproval('transaction', 'transaction_id'),
      },
      schema: {
        operationId: 'erase_transaction',
        summary: 'Erase the buyer of a transaction',
        description:
          'Removes the buyer’s personal data from one transaction, as the erasure of a buyer does: for buyers who were never stored. It cannot be undone. The erasure waits while an operation of the transaction is under way.',
        tags,
        headers,
        params: transactionParams,
        response: { 202: TransactionErasure },
      },
    },
    async ({ params, account }, reply) => {
      const erasure = await requestTransactionErasure(world, account, params.transaction_id)
      if (!erasure) throw notFound()
      return reply.code(202).send(erasure)
    },
  )

  app.get(
    '/transactions/:transaction_id/erasure',
    {
      config: { scopes: ['transactions.read'] },
      schema: {
        operationId: 'get_transaction_erasure',
        summary: 'Get the erasure of a transaction',
        description:
          'Whether the personal data of the buyer has been removed from a transaction. 404 if no erasure was requested.',
        tags,
        headers,
        params: transactionParams,
        response: { 200: TransactionErasure },
      },
    },
    async ({ params, account }) =>
      orNotFound(await findTransactionErasure(world, account, params.transaction_id)),
  )
}
