import { type Static, Type } from 'typebox'
import {
  Closed,
  Currency,
  Described,
  Erasable,
  MapOf,
  Nullable,
  Page,
  Parameter,
  pageQuery,
  Text,
  Timestamp,
  Uuid,
  Words,
} from '../../api/schema.ts'

const Status = Words('inquiry', 'needs_response', 'under_review', 'won', 'lost', 'accepted', 'closed')

const Sum = Type.Integer({ minimum: 0 })

export const Dispute = Closed('Dispute', {
  type: Type.Literal('dispute'),
  id: Uuid,
  merchant_account_id: Type.String(),
  payment_service_id: Uuid,
  payment_service_dispute_id: Described(Type.String(), 'The id of the dispute at the payment service'),
  transaction_id: Nullable(Described(Uuid, 'The disputed payment; null: Railyard knows no such payment')),
  status: Described(
    Status,
    '`inquiry`: the issuer asks, and no money has moved. `needs_response`: evidence is due. `under_review`: the issuer has the evidence. `accepted`: the merchant gave up. `closed`: it ended without a loss',
  ),
  amount: Described(Sum, 'The disputed amount in the smallest unit of `currency`'),
  currency: Currency,
  reason_code: Nullable(Described(Type.String(), 'The reason code of the card scheme')),
  reason: Nullable(Described(Type.String(), 'The reason in the words of the payment service')),
  withdrawn_amount: Described(
    Sum,
    'What the dispute has taken, gross. While the payment service says nothing of funds, the amount of a dispute that is open or lost',
  ),
  returned_amount: Described(Sum, 'What it has given back'),
  evidence_due_at: Nullable(Described(Timestamp, 'Until when evidence can be submitted; null: none can')),
  evidence_submitted_at: Nullable(Described(Timestamp, 'When evidence was submitted through Railyard')),
  accepted_at: Nullable(Described(Timestamp, 'When the dispute was accepted through Railyard')),
  discrepancy: Nullable(
    Described(
      Words('unknown_transaction', 'other_currency', 'amount_exceeds'),
      'Why the payment service’s word does not fit the payment: there is no such payment, its currency is another one, or disputed and refunded amounts exceed what was captured. Null: it fits',
    ),
  ),
  opened_at: Described(Timestamp, 'When the payment service opened it'),
  closed_at: Nullable(Described(Timestamp, 'When it ended; null: it is open')),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Dispute = Static<typeof Dispute>

export const Disputes = Page('Disputes', Dispute)

/** The filters of `GET /disputes`: all of them apply; several statuses are alternatives. */
export const DisputeQuery = Type.Object(
  {
    ...pageQuery(),
    transaction_id: Parameter(Uuid, 'The disputed payment'),
    status: Parameter(Type.Array(Status), 'Any of these statuses'),
    evidence_due_before: Parameter(Timestamp, 'Evidence is due before that time; ISO 8601 with offset'),
  },
  { additionalProperties: false },
)
export type DisputeQuery = Static<typeof DisputeQuery>

/** The size of a request with evidence, in bytes: some 4.5 MiB of files, in base64. */
export const MAX_EVIDENCE_BYTES = 6 * 1024 * 1024

const EvidenceFile = Closed('DisputeEvidenceFile', {
  subject: Described(Text(1, 100), 'What it shows, in the payment service’s own names, such as `receipt`'),
  name: Described(Erasable(Text(1, 200)), 'The name of the file'),
  type: Described(Words('application/pdf', 'image/jpeg', 'image/png'), 'The media type'),
  content: Described(
    Erasable(Type.String({ minLength: 4, maxLength: MAX_EVIDENCE_BYTES, pattern: '^[A-Za-z0-9+/]+={0,2}$' })),
    'The file in base64',
  ),
})

export const DisputeEvidenceCreate = Closed('DisputeEvidenceCreate', {
  text: Type.Optional(
    Described(
      Erasable({ ...MapOf(Text(1, 20_000)), maxProperties: 50 }),
      'Text by subject, in the payment service’s own names, such as `product_description`',
    ),
  ),
  files: Type.Optional(Described(Type.Array(EvidenceFile, { maxItems: 10 }), 'At most 10 files')),
  agent_evidence_subject: Type.Optional(
    Described(
      Text(1, 100),
      'Sends the `agent_evidence` of the payment, too: as text of this subject, such as `uncategorized_text`',
    ),
  ),
})
export type DisputeEvidenceCreate = Static<typeof DisputeEvidenceCreate>
