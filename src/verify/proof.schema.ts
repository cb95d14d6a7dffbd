import { type Static, Type } from 'typebox'
import { Closed, Currency, Described, Nullable, Timestamp, Uuid, Words } from '../api/schema.ts'
import { operationStatuses } from '../operations/operation.ts'

const OperationKind = Words(
  'screening',
  'authentication',
  'approval',
  'authorize',
  'sale',
  'capture',
  'void',
  'cancel',
  'increment',
  'refund',
  'redeem',
  'reverse',
  'gift-card-refund',
  'correction',
  'late-failure',
)

const ProofCall = Closed('TransactionProofCall', {
  id: Uuid,
  look_up: Described(
    Type.Boolean(),
    'It asked for the outcome of what was sent before; false: it sent the operation',
  ),
  method: Described(Type.String(), 'The HTTP method'),
  url: Described(Type.String(), 'The URL at the service, without secrets'),
  response_status_code: Nullable(Described(Type.Integer(), 'The HTTP status; null: no answer arrived')),
  sent_at: Timestamp,
  ended_at: Described(Timestamp, 'When its answer arrived, or was given up'),
})

const ProofOperation = Closed('TransactionProofOperation', {
  type: Type.Literal('transaction-proof-operation'),
  id: Uuid,
  kind: OperationKind,
  status: Described(
    Words(...operationStatuses),
    '`queued`: sent by recovery; `sent`: on its way; `unknown`: no answer that tells; `pending`: accepted and not decided. The others are final',
  ),
  amount: Type.Integer(),
  effective_amount: Nullable(Described(Type.Integer(), 'What took effect; null: nothing, or not yet')),
  currency: Currency,
  payment_service_id: Nullable(Uuid),
  payment_service_display_name: Nullable(Type.String()),
  payment_service_operation_id: Nullable(
    Described(Type.String(), 'What the payment service calls the operation'),
  ),
  idempotency_key: Nullable(
    Described(
      Type.String(),
      'The key under which it was sent, the same each time; null: a change of the books alone',
    ),
  ),
  intended_at: Described(Timestamp, 'When it was committed, before it was sent'),
  sent_at: Nullable(
    Described(Timestamp, 'When it was sent first; null: its answer is awaited, or it was not sent'),
  ),
  answered_at: Nullable(Described(Timestamp, 'When the last answer arrived; null: none')),
  decided_at: Nullable(Described(Timestamp, 'When its outcome was recorded; null: it is open')),
  outcome_by: Nullable(
    Described(
      Words('answer', 'look_up', 'notification', 'correction', 'nothing_sent'),
      'What proves the outcome: the answer to the operation, a look-up in the payment service’s books, a verified notification of a payment service that cannot be asked, a person’s correction, or that nothing was sent. Null: it is open',
    ),
  ),
  look_ups: Described(Type.Integer(), 'How often recovery has claimed it'),
  next_look_up_at: Nullable(Described(Timestamp, 'When recovery looks at it at the latest; null: never')),
  error_code: Nullable(Type.String()),
  raw_response_code: Nullable(Type.String()),
  calls: Described(Type.Array(ProofCall), 'Every call to the service, the oldest first'),
})

const ProofFinding = Closed('TransactionProofFinding', {
  problem: Described(Type.String(), 'What differs'),
  stored: Described(Type.String(), 'The stored value'),
  computed: Described(Type.String(), 'The value that the operations give'),
})

const ProofChain = Closed('TransactionProofChain', {
  intact: Described(Type.Boolean(), 'Whether every link is as it was sealed'),
  links: Described(Type.Integer(), 'The links of the journal’s chain that cover the operations'),
  unsealed_operations: Described(Type.Integer(), 'Decided operations that no link covers yet'),
  problems: Described(Type.Array(Type.String()), 'What is wrong with a link'),
})

export const TransactionProof = Closed('TransactionProof', {
  type: Type.Literal('transaction-proof'),
  transaction_id: Uuid,
  operations: Described(Type.Array(ProofOperation), 'The journal of the payment, the oldest first'),
  consistent: Described(
    Type.Boolean(),
    'Whether the payment equals the one computed from its operations, and the chain is intact',
  ),
  findings: Described(Type.Array(ProofFinding), 'What differs from the payment that the operations give'),
  chain: ProofChain,
  checked_at: Timestamp,
})
export type TransactionProof = Static<typeof TransactionProof>
