import type { ApprovalTerms } from '../../api/approval.ts'
import { parameterOf } from '../../database/approval-target.ts'
import { type FlowKey, publicationPreconditions } from './ruleset.store.ts'

/** The publication of rules: a draft that is edited after the proposal is not the one that was read. */
export const publicationApproval: ApprovalTerms = {
  operations: () => ['flow_publication'],
  target: async (world, request) => {
    // the route has checked the name
    const key = { account: request.account, flow: parameterOf(request, 'flow') as FlowKey['flow'] }
    return {
      resource: { type: 'rule', id: key.flow },
      money: null,
      preconditions: await publicationPreconditions(world, key),
    }
  },
}
