import { merchantAccountHeader } from '../api/headers.ts'
import type { Routes } from '../api/routes.ts'
import { transactionParams } from '../transactions/transaction.schema.ts'
import { TransactionProof } from './proof.schema.ts'
import { provePayment } from './prove-payment.ts'

export const proofRoutes: Routes = (app, world) => {
  app.get(
    '/transactions/:transaction_id/proof',
    {
      config: { scopes: ['transactions.read'] },
      schema: {
        operationId: 'get_transaction_proof',
        summary: 'Prove a transaction',
        description:
          'The journal of a transaction: each operation, when it was intended, sent, answered and decided, and what proves its outcome. Railyard computes the transaction again from them, and checks that the journal is as it was sealed.',
        tags: ['Transactions'],
        headers: merchantAccountHeader,
        params: transactionParams,
        response: { 200: TransactionProof },
      },
    },
    async ({ account, params }) => provePayment(world, account, params.transaction_id),
  )
}
