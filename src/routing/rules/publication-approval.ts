import type { ApprovalTerms } from '../../api/approval.ts'
import { parameterOf } from '../../database/approval-target.ts'
import { timestamp } from '../../database/timestamp.ts'
import { type FlowKey, findRuleset } from './ruleset.store.ts'

/** The publication of rules: a draft that is edited after the proposal is not the one that was read. */
export const publicationApproval: ApprovalTerms = {
  operations: () => ['flow_publication'],
  target: async (world, request) => {
    // the route has checked the name
    const key = { account: request.account, flow: parameterOf(request, 'flow') as FlowKey['flow'] }
    const draft = await findRuleset(world, key, 'draft')
    const live = await findRuleset(world, key, 'live')
    return {
      resource: { type: 'rule', id: key.flow },
      money: null,
      preconditions: {
        live_version: live?.version ?? null,
        draft_version: draft?.version ?? null,
        draft_updated_at: draft ? timestamp(draft.updated_at) : null,
      },
    }
  },
}
