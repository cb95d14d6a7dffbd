import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { timestamp } from '../../database/timestamp.ts'
import { paymentServices } from '../../payment-services/payment-service.store.ts'
import { type TransactionAction, TransactionActions } from '../../routing/action.schema.ts'
import { transactionParams } from '../transaction.schema.ts'
import { readTransaction } from '../transaction.store.ts'

/** The decisions of rules on a transaction (semantics §3.16); an empty list if no rule applied. */
export const ruleActionRoutes: Routes = (app, world) => {
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
      const services = actions ? await paymentServices(world, account) : []
      const nameOf = (id: unknown) => services.find((service) => service.id === id)?.display_name
      return {
        items: (actions ?? []).map((action) =>
          withServiceNames({ ...action, created_at: timestamp(action.created_at) }, nameOf),
        ),
      }
    },
  )
}

/** Adds the payment services' names, which the stored decision lacks because they may change. */
const withServiceNames = (
  action: TransactionAction,
  nameOf: (id: unknown) => string | undefined,
): TransactionAction => ({
  ...action,
  outcome: Object.fromEntries(
    Object.entries(action.outcome).map(([member, value]) => [
      member,
      Array.isArray(value) ? value.map((item) => withServiceName(item, nameOf)) : value,
    ]),
  ),
})

function withServiceName(item: unknown, nameOf: (id: unknown) => string | undefined): unknown {
  if (typeof item !== 'object' || item === null || !('payment_service_id' in item)) return item
  return { ...item, payment_service_display_name: nameOf(item.payment_service_id) ?? null }
}
