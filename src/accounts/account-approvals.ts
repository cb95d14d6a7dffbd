import type { ApprovalTerms } from '../api/approval.ts'
import { rowTarget } from '../database/approval-target.ts'

/** Key pairs: one with an unlimited role could do everything that needs approval. */
export const keyPairApproval: ApprovalTerms = {
  operations: () => ['api_key_pair'],
  target: rowTarget({
    type: 'api-key-pair',
    table: 'api_key_pairs',
    parameter: 'api_key_pair_id',
    members: ['display_name', 'active', 'role_ids', 'merchant_account_ids', 'merchant_account_required'],
    isOfInstance: true,
  }),
  answersCredential: true,
}

/** People, their roles and their invitations. */
export const userApproval: ApprovalTerms = {
  operations: () => ['user'],
  target: rowTarget({
    type: 'user',
    table: 'users',
    parameter: 'user_id',
    members: ['name', 'email_address', 'status', 'role_ids', 'merchant_account_ids'],
    isOfInstance: true,
  }),
  answersCredential: true,
}
