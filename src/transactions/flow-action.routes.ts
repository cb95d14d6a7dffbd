import { merchantAccountHeader } from '../api/headers.ts'
import type { Routes } from '../api/routes.ts'
import { timestamp } from '../database/timestamp.ts'
import { TransactionActions } from '../routing/action.schema.ts'
import { transactionParams } from './transaction.routes.ts'
import { readTransaction } from './transaction.store.ts'

/** What rules decided on a transaction (SEMANTICS §3.16): without a rule there is nothing to tell. */
export const actionListRoutes: Routes = (app, world) => {
  app.get(
    '/transactions/:transaction_id/actions',
    {
      config: { scopes: ['transactions.read'] },
      schema: {
        operationId: 'list_transaction_actions',
        summary: 'List actions',
        description: 'What rules decided on a transaction.',
        tags: ['Transactions - Actions'],
        headers: merchantAccountHeader,
        params: transactionParams,
        response: { 200: TransactionActions },
      },
    },
    async ({ account, params }) => {
      const { actions } = await readTransaction(world, account, params.transaction_id)
      return { items: (actions ?? []).map((action) => ({ ...action, created_at: timestamp(action.created_at) })) }
    },
  )
}
