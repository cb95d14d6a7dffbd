import { type Static, Type } from 'typebox'
import { Password, TotpCode } from '../../accounts/sign-in/credentials.schema.ts'
import {
  Closed,
  Currency,
  Described,
  Nullable,
  Open,
  Page,
  Parameter,
  pageQuery,
  Text,
  Timestamp,
  Uuid,
  Words,
} from '../../api/schema.ts'
import { ApprovalOperationName } from '../policies/approval-policy.schema.ts'

export const ProposalStatus = Words(
  'pending',
  'approved',
  'executing',
  'executed',
  'failed',
  'rejected',
  'withdrawn',
  'expired',
  'stale',
)

const Value = Nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()]))

const ProposalChange = Closed('ProposalChange', {
  member: Described(Type.String(), 'The member of the resource'),
  was: Described(Value, 'When the proposal was made'),
  is: Described(Value, 'Now, or when it was to be executed'),
})

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })

const summary = {
  type: Type.Literal('proposal'),
  id: Described(Uuid, 'Also the idempotency key of the request'),
  merchant_account_id: Type.String(),
  status: Described(
    ProposalStatus,
    '`stale`: it was approved, and what it is about had changed; nothing was done. `failed`: the request was refused',
  ),
  operations: Described(Type.Array(ApprovalOperationName), 'What the request does, in the words of policies'),
  method: Words('POST', 'PUT', 'DELETE'),
  path: Described(Type.String(), 'Of the request'),
  hash: Described(Hash, 'SHA-256 over the method, the path and the canonical body; a decision names it'),
  reason: Described(Type.String(), 'Why the requester proposes it'),
  requester: Described(
    Closed('ProposalRequester', {
      type: Words('user', 'api-key-pair'),
      id: Uuid,
      name: Described(Type.String(), 'The name when the proposal was made'),
    }),
    'The person or the key pair in whose name the request runs',
  ),
  resource: Nullable(
    Described(
      Closed('ProposalResource', { type: Type.String(), id: Type.String() }),
      'What the request changes; null: it creates something',
    ),
  ),
  amount: Nullable(
    Described(Type.Integer(), 'The money that can leave, in the smallest unit of the currency'),
  ),
  currency: Nullable(Currency),
  expires_at: Described(Timestamp, 'Until then it can be decided'),
  approved_at: Described(Nullable(Timestamp), 'When the last approval came that it needed'),
  ended_at: Nullable(Described(Timestamp, 'When it was executed, refused or given up')),
  result: Nullable(
    Described(
      Closed('ProposalResult', {
        status_code: Nullable(
          Described(
            Type.Integer(),
            'Of the answer to the request; null: it is not known, and the change was made',
          ),
        ),
        resource_id: Nullable(Described(Type.String(), 'What the request has created or changed')),
        error: Nullable(
          Described(
            Closed('ProposalError', { code: Type.String(), message: Type.String() }),
            'Why the request was refused',
          ),
        ),
      }),
      'The answer to the request; null: it has not run',
    ),
  ),
  changes: Nullable(
    Described(Type.Array(ProposalChange), 'Of a stale proposal: what had changed since it was made'),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
}

/** A proposal as lists and events show it. */
export const ProposalSummary = Closed('ProposalSummary', summary)
export type ProposalSummary = Static<typeof ProposalSummary>

export const ProposalSummaries = Page('ProposalSummaries', ProposalSummary)

const ProposalRequirement = Closed('ProposalRequirement', {
  policy_id: Nullable(Described(Uuid, 'Null: no policy asks for approval')),
  display_name: Type.String(),
  approver_role_ids: Described(Type.Array(Uuid), 'Roles whose people may approve'),
  approver_user_ids: Described(Type.Array(Uuid), 'People who may approve'),
  required_approvals: Described(Type.Integer(), 'How many different people approve'),
  approvals: Described(Type.Integer(), 'The approvals that count for it'),
})

const ProposalDecision = Closed('ProposalDecision', {
  user: Closed('ProposalDecider', { id: Uuid, name: Type.String() }),
  decision: Described(Words('approved', 'rejected'), 'What was decided'),
  comment: Described(Nullable(Type.String()), 'What the person says about it'),
  created_at: Timestamp,
})

export const Proposal = Closed('Proposal', {
  ...summary,
  body: Nullable(Described(Open, 'The body of the request; secrets and personal data are masked')),
  preconditions: Described(
    Type.Unsafe<Record<string, Static<typeof Value>>>({ type: 'object', additionalProperties: Value }),
    'What the decision depends on, as it was when the proposal was made',
  ),
  changed_since: Nullable(
    Described(
      Type.Array(ProposalChange),
      'What has changed since; null: the proposal has ended, or the resource cannot be read',
    ),
  ),
  requirements: Described(
    Type.Array(ProposalRequirement),
    'What it needs; each policy asks for its own approvers',
  ),
  decisions: Type.Array(ProposalDecision),
  can_decide: Described(Type.Boolean(), 'Whether you may approve or reject it now'),
  cannot_decide_because: Nullable(Described(Type.String(), 'Why not, in words')),
  answer_available: Described(
    Type.Boolean(),
    'Whether the requester can take the answer, which has a credential, by `POST /proposals/{proposal_id}/answer`',
  ),
})
export type Proposal = Static<typeof Proposal>

export const ProposalCreate = Closed('ProposalCreate', {
  method: Described(Words('POST', 'PUT', 'DELETE'), 'Of the request that needs approval'),
  path: Described(
    Type.String({ pattern: '^/[^?#\\s\\\\]*$', maxLength: 1_000 }),
    'Of the request, without the server and without a query',
  ),
  body: Type.Optional(Nullable(Described(Open, 'Of the request; absent: it has none'))),
  reason: Described(Text(1, 2_000), 'Why: the approvers read it'),
})
export type ProposalCreate = Static<typeof ProposalCreate>

export const ProposalDecisionCreate = Closed('ProposalDecisionCreate', {
  hash: Described(Hash, 'The `hash` of the proposal that you have read'),
  comment: Type.Optional(Nullable(Described(Text(1, 2_000), 'What you say about it; others read it'))),
  password: Type.Optional(Described(Password, 'Yours; or send `credential`')),
  code: Type.Optional(Described(TotpCode, 'Needed beside the password with an authenticator app')),
  credential: Type.Optional(
    Described(
      Open,
      '`PublicKeyCredential.toJSON()` of the answer of one of your passkeys to `POST /proposals/{proposal_id}/passkey-options`',
    ),
  ),
})
export type ProposalDecisionCreate = Static<typeof ProposalDecisionCreate>

export const ProposalAnswer = Closed('ProposalAnswer', {
  type: Type.Literal('proposal-answer'),
  proposal_id: Uuid,
  status_code: Type.Integer(),
  body: Nullable(Described(Open, 'The answer to the request, this once')),
})
export type ProposalAnswer = Static<typeof ProposalAnswer>

/** The filters of `GET /proposals`: all of them apply; several statuses are alternatives. */
export const ProposalQuery = Type.Object(
  {
    ...pageQuery(),
    status: Parameter(Type.Array(ProposalStatus), 'Any of these statuses'),
    operation: Parameter(ApprovalOperationName, 'What the request does'),
    requester_id: Parameter(Uuid, 'The person or the key pair that has proposed it'),
    resource_id: Parameter(Type.String({ maxLength: 200 }), 'What the request changes'),
    waiting_for_me: Parameter(Type.Boolean(), 'True: pending ones that you may decide and have not'),
  },
  { additionalProperties: false },
)
export type ProposalQuery = Static<typeof ProposalQuery>
