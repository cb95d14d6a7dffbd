import type { FastifyRequest } from 'fastify'
import type { ApprovalTerms } from '../api/approval.ts'
import {
  type ApprovalOperation,
  type ApprovalTarget,
  protectedOperations,
} from '../api/values/approval-target.ts'
import { parameterOf } from '../database/approval-target.ts'
import type { ApprovalRequirement } from '../database/tables/approvals.ts'
import type { World } from '../world.ts'
import { type ApprovalPolicyRow, activePolicies } from './policies/approval-policy.store.ts'

/**
 * The account whose policies apply: the request's, or that of its path; `default` for what belongs to the whole
 * instance, as in the audit log.
 */
export const governingAccount = (request: Pick<FastifyRequest, 'account' | 'params'>): string =>
  request.account || parameterOf(request, 'merchant_account_id') || 'default'

/** What the policies of an account make of a request. */
export interface Assessment {
  /** The policies that ask for its approval. */
  policies: ApprovalPolicyRow[]
  /** Policies whose threshold it is within: they ask for approval if more counts by the time it is done. */
  within: { policy: ApprovalPolicyRow; upTo: number }[]
}

/** Which policies ask for the approval of this request. */
export async function assess(
  world: World,
  request: FastifyRequest,
  { operations, target }: ApprovalTerms,
): Promise<Assessment> {
  const policies = await activePolicies(world, governingAccount(request))
  if (policies.length === 0) return { policies, within: [] }
  const requested = operations(request)
  const concerned = policies.filter((policy) => concerns(policy, requested))
  // the resource is read only where an amount decides
  if (isProtected(requested) || !concerned.some(({ thresholds }) => thresholds.length > 0))
    return { policies: concerned, within: [] }
  const found = await target(world, request)
  const within = concerned.flatMap((policy) => {
    const upTo = thresholdFor(policy, found)
    return upTo === null ? [] : [{ policy, upTo }]
  })
  return {
    policies: concerned.filter((policy) => !within.some((each) => each.policy === policy)),
    within,
  }
}

/** The policies that ask for the approval of a request about this target. */
export async function policiesOf(
  world: World,
  account: string,
  requested: readonly ApprovalOperation[],
  target: ApprovalTarget,
): Promise<ApprovalPolicyRow[]> {
  const policies = await activePolicies(world, account)
  return policies.filter(
    (policy) =>
      concerns(policy, requested) && (isProtected(requested) || thresholdFor(policy, target) === null),
  )
}

const isProtected = (requested: readonly ApprovalOperation[]) =>
  requested.some((operation) => protectedOperations.has(operation))

const concerns = ({ operations }: ApprovalPolicyRow, requested: readonly ApprovalOperation[]) =>
  isProtected(requested) || requested.some((operation) => operations.includes(operation))

/** The threshold that the money of the target is within; null: there is none, or it is beyond. */
function thresholdFor(
  { thresholds }: ApprovalPolicyRow,
  { money, countedBefore = 0 }: ApprovalTarget,
): number | null {
  const threshold = money && thresholds.find(({ currency }) => currency === money.currency)
  return threshold && countedBefore + money.amount <= threshold.amount ? threshold.amount : null
}

/** What a proposal needs under these policies. Without a policy, one person with the scope approves. */
export const requirementsOf = (policies: readonly ApprovalPolicyRow[]): ApprovalRequirement[] =>
  policies.length === 0
    ? [
        {
          policy_id: null,
          display_name: 'Every proposal',
          approver_role_ids: [],
          approver_user_ids: [],
          required_approvals: 1,
        },
      ]
    : policies.map((policy) => ({
        policy_id: policy.id,
        policy_created_at: policy.created_at,
        display_name: policy.display_name,
        approver_role_ids: policy.approver_role_ids,
        approver_user_ids: policy.approver_user_ids,
        required_approvals: policy.required_approvals,
      }))

const DEFAULT_OPEN_FOR_HOURS = 72

/** How long a proposal under these policies stays open, in hours. */
export const openForHours = (policies: readonly ApprovalPolicyRow[]): number =>
  policies.length === 0
    ? DEFAULT_OPEN_FOR_HOURS
    : Math.min(...policies.map(({ open_for_hours }) => open_for_hours))

/** A person with the roles that they have, or had when they decided. */
export interface Approver {
  user_id: string
  /** Slugs. */
  role_ids: readonly string[]
}

/** Whether the person may approve for this requirement. */
export const canApproveFor = (
  { approver_role_ids: roles, approver_user_ids: users }: ApprovalRequirement,
  { user_id, role_ids }: Approver,
): boolean =>
  (roles.length === 0 && users.length === 0) ||
  users.includes(user_id) ||
  roles.some((role) => role_ids.includes(role))

/** Whether these people's approvals are enough: each policy asks for its own approvers. */
export const isApprovedBy = (
  requirements: readonly ApprovalRequirement[],
  approvers: readonly Approver[],
): boolean =>
  requirements.every(
    (requirement) =>
      approvers.filter((approver) => canApproveFor(requirement, approver)).length >=
      requirement.required_approvals,
  )
