import { rolesBySlugs } from '../../accounts/roles/role.ts'
import type { PreconditionChange } from '../../api/values/approval-target.ts'
import { timestamp, timestampOrNull } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import { canApproveFor } from '../requirements.ts'
import type { ProposalDecisionRow, ProposalRow } from './proposal.row.ts'
import type { Proposal, ProposalSummary } from './proposal.schema.ts'

/** The status as readers see it: nobody waits for the background work that writes `expired`. */
export const currentStatus = (
  { clock }: Pick<World, 'clock'>,
  { status, expires_at }: Pick<ProposalRow, 'status' | 'expires_at'>,
): ProposalRow['status'] =>
  status === 'pending' && Date.parse(expires_at) <= clock.now() ? 'expired' : status

const methods = ['POST', 'PUT', 'DELETE'] as const

/** A proposal as lists and events show it. */
export const summarizeProposal = (world: Pick<World, 'clock'>, row: ProposalRow): ProposalSummary => ({
  type: 'proposal',
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  status: currentStatus(world, row),
  operations: row.operations,
  method: methods.find((method) => method === row.method) ?? 'POST',
  path: row.path,
  hash: row.hash.toString('hex'),
  reason: row.reason,
  requester: { type: row.requester_type, id: row.requester_id, name: row.requester_name },
  resource:
    row.resource_type !== null && row.resource_id !== null
      ? { type: row.resource_type, id: row.resource_id }
      : null,
  amount: row.amount,
  currency: row.currency,
  expires_at: timestamp(row.expires_at),
  approved_at: timestampOrNull(row.approved_at),
  ended_at: timestampOrNull(row.ended_at),
  result: row.result,
  changes: row.changes,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/** What is read beside the row of a proposal. */
export interface ProposalContext {
  decisions: readonly ProposalDecisionRow[]
  changedSince: PreconditionChange[] | null
  /** Why the reader may not decide; null: they may. */
  cannotDecideBecause: string | null
}

export const showProposal = (
  world: Pick<World, 'clock'>,
  row: ProposalRow,
  { decisions, changedSince, cannotDecideBecause }: ProposalContext,
): Proposal => {
  const approvals = decisions.filter(({ decision }) => decision === 'approved')
  return {
    ...summarizeProposal(world, row),
    body: row.shown_body,
    preconditions: row.preconditions,
    changed_since: changedSince,
    requirements: row.requirements.map((requirement) => ({
      policy_id: requirement.policy_id,
      display_name: requirement.display_name,
      approver_role_ids: rolesBySlugs(requirement.approver_role_ids).map(({ id }) => id),
      approver_user_ids: requirement.approver_user_ids,
      required_approvals: requirement.required_approvals,
      approvals: approvals.filter((approval) => canApproveFor(requirement, approval)).length,
    })),
    decisions: decisions.map(({ user_id, user_name, decision, comment, created_at }) => ({
      user: { id: user_id, name: user_name },
      decision,
      comment,
      created_at: timestamp(created_at),
    })),
    can_decide: cannotDecideBecause === null,
    cannot_decide_because: cannotDecideBecause,
    answer_available: row.answer !== null,
  }
}
