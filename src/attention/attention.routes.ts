import { canUseScope } from '../api/auth/caller.ts'
import { merchantAccountHeader } from '../api/headers.ts'
import type { Routes } from '../api/routes.ts'
import { approverOf } from '../approvals/proposals/decide.ts'
import { Attention } from './attention.schema.ts'
import { attentionScopes, readAttention } from './attention.store.ts'

export const attentionRoutes: Routes = (app, world) => {
  app.get(
    '/attention',
    {
      config: { scopes: [...attentionScopes, 'approvals.write'] },
      schema: {
        operationId: 'get_attention',
        summary: 'Count what waits for a person',
        description:
          'How many reviews, disputes, unmatched report lines, failed webhook deliveries, unknown outcomes, incidents, open circuits and proposals wait for a person. Each count needs the scope of its resource, and is null without it.',
        tags: ['Attention'],
        headers: merchantAccountHeader,
        response: { 200: Attention },
      },
    },
    async ({ account, caller }) => {
      const approver = canUseScope(caller, 'approvals.write') ? await approverOf(world, caller) : undefined
      return readAttention(world, account, (scope) => canUseScope(caller, scope), approver)
    },
  )
}
