import { Type } from 'typebox'
import { notFound } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Uuid } from '../../api/schema.ts'
import { readOperation, readOperations } from '../../operations/journal/read-operations.ts'
import { isRefund } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { transactionParams } from '../transaction.schema.ts'
import { readTransaction } from '../transaction.store.ts'
import { showRefund } from './refund.representation.ts'
import { Refund, Refunds } from './refund.schema.ts'
import { singlePage } from './single-page.ts'

/** A refund of the account, and of `transactionId` if given. Throws 404 if there is none. */
async function readRefund(
  world: World,
  account: string,
  id: string,
  transactionId?: string,
): Promise<Refund> {
  const found = await readOperation<TransactionRow>(world, account, id)
  const belongs =
    found &&
    isRefund(found.operation) &&
    (transactionId === undefined || found.operation.transaction_id === transactionId)
  if (!found || !belongs) throw notFound()
  return showRefund(found.operation, found.transaction)
}

export const refundRoutes: Routes = (app, world) => {
  const config = { scopes: ['transactions.read'] }
  const tags = ['Refunds']

  app.get(
    '/transactions/:transaction_id/refunds',
    {
      config,
      schema: {
        operationId: 'list_transaction_refunds',
        summary: 'List refunds of a transaction',
        description: 'The refunds of a transaction, the newest first.',
        tags,
        headers: merchantAccountHeader,
        params: transactionParams,
        response: { 200: Refunds },
      },
    },
    async ({ account, params }) => {
      const transaction = await readTransaction(world, account, params.transaction_id)
      const operations = await readOperations(world, account, params.transaction_id)
      const refunds = operations.filter(isRefund).reverse()
      return singlePage(refunds.map((operation) => showRefund(operation, transaction)))
    },
  )

  app.get(
    '/transactions/:transaction_id/refunds/:refund_id',
    {
      config,
      schema: {
        operationId: 'get_transaction_refund',
        summary: 'Get a refund of a transaction',
        description: 'One refund of a transaction.',
        tags,
        headers: merchantAccountHeader,
        params: Type.Object({ transaction_id: Uuid, refund_id: Uuid }),
        response: { 200: Refund },
      },
    },
    async ({ account, params }) => readRefund(world, account, params.refund_id, params.transaction_id),
  )

  app.get(
    '/refunds/:refund_id',
    {
      config,
      schema: {
        operationId: 'get_refund',
        summary: 'Get a refund',
        description: 'A refund by its id alone.',
        tags,
        headers: merchantAccountHeader,
        params: Type.Object({ refund_id: Uuid }),
        response: { 200: Refund },
      },
    },
    async ({ account, params }) => readRefund(world, account, params.refund_id),
  )
}
