import { canUseScope } from '../api/auth/caller.ts'
import { forbidden } from '../api/errors.ts'
import { merchantAccountHeader } from '../api/headers.ts'
import { answerPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { readFromReplica } from '../database/replicas/read-from-replica.ts'
import { lastUpdatedFirstPosition } from '../database/rows/newest-first.ts'
import { correctionApproval } from './actions/action-approval.ts'
import { correctsMoney, correctTransaction } from './actions/correct-transaction.ts'
import { syncTransaction } from './outcome/sync-transaction.ts'
import {
  Transaction,
  TransactionSummaries,
  TransactionUpdate,
  transactionParams,
} from './transaction.schema.ts'
import { readTransaction } from './transaction.store.ts'
import { DescribedQuery } from './views/transaction.filters.ts'
import { listTransactions } from './views/transaction.list.ts'
import { showTransaction, transactionSummary } from './views/transaction.representation.ts'

export const transactionRoutes: Routes = (app, world) => {
  app.get(
    '/transactions',
    {
      config: { scopes: ['transactions.read'] },
      schema: {
        operationId: 'list_transactions',
        summary: 'List transactions',
        description:
          'The account’s transactions, the most recently updated first. Values of one filter are alternatives, different filters all apply.',
        tags: ['Transactions'],
        headers: merchantAccountHeader,
        querystring: DescribedQuery,
        response: { 200: TransactionSummaries },
      },
    },
    async ({ account, query: { cursor, limit, ...filters } }) => {
      const list = `transactions/${account}/${JSON.stringify(filters)}`
      return answerPage(
        world.cipher,
        list,
        { cursor, limit },
        {
          read: (page) =>
            readFromReplica(world, (replica) => listTransactions(replica, account, filters, page)),
          positionOf: lastUpdatedFirstPosition,
          show: transactionSummary,
        },
      )
    },
  )

  app.get(
    '/transactions/:transaction_id',
    {
      config: { scopes: ['transactions.read'] },
      schema: {
        operationId: 'get_transaction',
        summary: 'Get a transaction',
        description: 'The transaction as it is now.',
        tags: ['Transactions'],
        headers: merchantAccountHeader,
        params: transactionParams,
        response: { 200: Transaction },
      },
    },
    async ({ account, params }) =>
      showTransaction(await readTransaction(world, account, params.transaction_id)),
  )

  app.put(
    '/transactions/:transaction_id',
    {
      config: { scopes: ['transactions.write'], approval: correctionApproval },
      schema: {
        operationId: 'update_transaction',
        summary: 'Correct a transaction',
        description:
          'Changes what the merchant knows better, such as the external identifier or metadata. Amounts and the status need the scope `transactions.correct` (`*.write` covers it), and are corrected in our books only: nothing is sent to the payment service. They are refused while an operation, the buyer’s approval or a review is pending. A request that changes nothing writes nothing.',
        tags: ['Transactions'],
        headers: merchantAccountHeader,
        params: transactionParams,
        body: TransactionUpdate,
        response: { 200: Transaction },
      },
    },
    async ({ account, params, body, caller }) => {
      if (correctsMoney(body) && !canUseScope(caller, 'transactions.correct'))
        throw forbidden('Amounts and the status are corrected with the scope transactions.correct')
      return showTransaction(await correctTransaction(world, account, params.transaction_id, body))
    },
  )

  app.post(
    '/transactions/:transaction_id/sync',
    {
      config: { scopes: ['transactions.read'] },
      schema: {
        operationId: 'sync_transaction',
        summary: 'Sync a transaction',
        description:
          'Asks the payment service at once what became of the operations whose outcome is not known or pending.',
        tags: ['Transactions'],
        headers: merchantAccountHeader,
        params: transactionParams,
        response: { 200: Transaction },
      },
    },
    async ({ account, params }) =>
      showTransaction(await syncTransaction(world, account, params.transaction_id)),
  )
}
