import type { ApprovalTerms } from '../api/approval.ts'
import { canonicalId } from '../api/values/uuid.ts'
import { parameterOf } from '../database/approval-target.ts'

/** An erasure, which cannot be undone. A buyer that was deleted before can be erased, too. */
export const erasureApproval = (type: 'buyer' | 'transaction', parameter: string): ApprovalTerms => ({
  operations: () => ['erasure'],
  target: async (_world, request) => ({
    resource: { type, id: canonicalId(parameterOf(request, parameter) ?? '') },
    money: null,
    preconditions: {},
  }),
})
