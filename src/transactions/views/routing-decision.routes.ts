import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { transactionParams } from '../transaction.schema.ts'
import { RoutingDecision, RoutingDraft } from './routing-decision.schema.ts'
import { decideByDraft, readRoutingDecision } from './routing-decision.ts'

const tags = ['Transactions - Actions']

export const routingDecisionRoutes: Routes = (app, world) => {
  app.get(
    '/transactions/:transaction_id/routing-decision',
    {
      config: { scopes: ['transactions.read'] },
      schema: {
        operationId: 'get_transaction_routing_decision',
        summary: 'Explain the routing',
        description:
          'Why a transaction went to its payment services: the rules that decided, the payment services in order, those that were skipped with the reason, and each attempt.',
        tags,
        headers: merchantAccountHeader,
        params: transactionParams,
        response: { 200: RoutingDecision },
      },
    },
    async ({ account, params }) => readRoutingDecision(world, account, params.transaction_id),
  )

  app.get(
    '/transactions/:transaction_id/routing-decision/draft',
    {
      config: { scopes: ['transactions.read', 'flows.read'], everyScope: true },
      schema: {
        operationId: 'get_transaction_routing_draft',
        summary: 'Decide by the draft',
        description:
          'What the drafts of the rules would have decided on this transaction, with the payment services that could take it then. Nothing is sent or changed.',
        tags,
        headers: merchantAccountHeader,
        params: transactionParams,
        response: { 200: RoutingDraft },
      },
    },
    async ({ account, params }) => decideByDraft(world, account, params.transaction_id),
  )
}
