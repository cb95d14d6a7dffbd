import { type Static, Type } from 'typebox'
import { Amount, Closed, Currency, Described, Page, Text, Timestamp, Uuid, Words } from '../../api/schema.ts'
import { approvalOperations } from '../../api/values/approval-target.ts'

export const ApprovalOperationName = Words(...approvalOperations)

const ApprovalThreshold = Closed('ApprovalThreshold', {
  currency: Currency,
  amount: Described(Amount, 'In the smallest unit of the currency; up to it no approval is needed'),
})

const fields = {
  display_name: Text(1, 200),
  operations: Described(
    Type.Array(ApprovalOperationName, {
      minItems: 1,
      maxItems: approvalOperations.length,
      uniqueItems: true,
    }),
    'What needs approval',
  ),
  thresholds: Described(
    Type.Array(ApprovalThreshold, { maxItems: 50 }),
    'Money up to these amounts needs no approval; other currencies do at any amount. All refunds of a transaction count together, and so do all its captures. Empty: every amount needs approval',
  ),
  approver_role_ids: Described(
    Type.Array(Uuid, { maxItems: 50, uniqueItems: true }),
    'Roles whose people may approve',
  ),
  approver_user_ids: Described(
    Type.Array(Uuid, { maxItems: 200, uniqueItems: true }),
    'People who may approve, beside those with the roles. With no roles and no people: everyone with the scope `approvals.write`',
  ),
  required_approvals: Described(
    Type.Integer({ minimum: 1, maximum: 10 }),
    'How many different people approve',
  ),
  open_for_hours: Described(
    Type.Integer({ minimum: 1, maximum: 720 }),
    'How long a proposal stays open for decisions',
  ),
  active: Described(Type.Boolean(), 'False: it asks for nothing'),
}

export const ApprovalPolicy = Closed('ApprovalPolicy', {
  type: Type.Literal('approval-policy'),
  id: Uuid,
  merchant_account_id: Type.String(),
  ...fields,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type ApprovalPolicy = Static<typeof ApprovalPolicy>

export const ApprovalPolicies = Page('ApprovalPolicies', ApprovalPolicy)

const { display_name, operations, ...optional } = fields

export const ApprovalPolicyCreate = Closed('ApprovalPolicyCreate', {
  display_name,
  operations,
  thresholds: Type.Optional(optional.thresholds),
  approver_role_ids: Type.Optional(optional.approver_role_ids),
  approver_user_ids: Type.Optional(optional.approver_user_ids),
  required_approvals: Type.Optional({ ...optional.required_approvals, default: 1 }),
  open_for_hours: Type.Optional({ ...optional.open_for_hours, default: 72 }),
  active: Type.Optional({ ...optional.active, default: true }),
})
export type ApprovalPolicyCreate = Static<typeof ApprovalPolicyCreate>

/** Members that are omitted stay as they are. */
export const ApprovalPolicyUpdate = Closed('ApprovalPolicyUpdate', {
  display_name: Type.Optional(display_name),
  operations: Type.Optional(operations),
  thresholds: Type.Optional(optional.thresholds),
  approver_role_ids: Type.Optional(optional.approver_role_ids),
  approver_user_ids: Type.Optional(optional.approver_user_ids),
  required_approvals: Type.Optional(optional.required_approvals),
  open_for_hours: Type.Optional(optional.open_for_hours),
  active: Type.Optional(optional.active),
})
export type ApprovalPolicyUpdate = Static<typeof ApprovalPolicyUpdate>
