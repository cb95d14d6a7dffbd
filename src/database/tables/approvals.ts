import type { Generated } from 'kysely'
import type {
  ApprovalOperation,
  ApprovalTarget,
  PreconditionChange,
} from '../../api/values/approval-target.ts'
import type { Json } from '../json.ts'

/** An amount up to which money needs no approval. */
export interface Threshold {
  currency: string
  amount: number
}

export interface ApprovalPolicyTable {
  merchant_account_id: string
  id: string
  display_name: string
  operations: ApprovalOperation[]
  thresholds: Json<Threshold[]>
  /** Slugs of roles. */
  approver_role_ids: string[]
  approver_user_ids: string[]
  required_approvals: number
  open_for_hours: number
  active: boolean
  created_at: string
  updated_at: string
}

export type ProposalStatus =
  | 'pending'
  | 'approved'
  | 'executing'
  | 'executed'
  | 'failed'
  | 'rejected'
  | 'withdrawn'
  | 'expired'
  | 'stale'

/** What a policy asks of a proposal, as the policy was when the proposal was made. */
export interface ApprovalRequirement {
  /** Null: no policy asks for approval; the request was proposed all the same. */
  policy_id: string | null
  /** Null: no policy asks, or the proposal was made before requirements had it. */
  policy_created_at?: string | null
  display_name: string
  /** Slugs of roles; with no roles and no users, every person with the scope. */
  approver_role_ids: string[]
  approver_user_ids: string[]
  required_approvals: number
}

/** The answer to the request of a proposal. */
interface ExecutionResult {
  /** Null: the answer is not known, and the audit log shows that the change was made. */
  status_code: number | null
  resource_id: string | null
  error: { code: string; message: string } | null
}

export interface ProposalTable {
  merchant_account_id: string
  id: string
  status: ProposalStatus
  requester_type: 'user' | 'api-key-pair'
  requester_id: string
  requester_name: string
  requester_email_address: string | null
  /** Of the token with which a key pair has proposed; null: a person's. */
  token_scopes: string[] | null
  idempotency_key: string | null
  method: string
  path: string
  /** Sealed by the cipher; null: there is none, or it was erased when the proposal ended. */
  body: Buffer | null
  shown_body: Json<Record<string, unknown>> | null
  hash: Buffer
  reason: string
  operations: ApprovalOperation[]
  resource_type: string | null
  resource_id: string | null
  amount: number | null
  currency: string | null
  preconditions: Json<ApprovalTarget['preconditions']>
  requirements: Json<ApprovalRequirement[]>
  expires_at: string
  approved_at: string | null
  ended_at: string | null
  /** The number of the latest attempt to execute it. */
  attempt: Generated<number>
  /** When it is executed, or when the lease of the present attempt ends. */
  due_at: string | null
  result: Json<ExecutionResult> | null
  /** The whole answer under the cipher, if it has a credential, until the requester has taken it. */
  answer: Buffer | null
  changes: Json<PreconditionChange[]> | null
  created_at: string
  updated_at: string
}

export interface ProposalDecisionTable {
  merchant_account_id: string
  proposal_id: string
  user_id: string
  user_name: string
  /** Slugs of the person's roles at that time. */
  role_ids: string[]
  decision: 'approved' | 'rejected'
  comment: string | null
  created_at: string
}
