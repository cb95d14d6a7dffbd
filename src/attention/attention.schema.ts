import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Timestamp } from '../api/schema.ts'

/** The largest count that is answered. */
export const MAX_COUNT = 1_000

const members = {
  count: Described(Type.Integer({ minimum: 0, maximum: MAX_COUNT }), `Counted up to ${MAX_COUNT}`),
  more: Described(Type.Boolean(), 'Whether there are more than that'),
}
const Count = Closed('AttentionCount', members)

/** A count is null if the caller has not the scope that it needs. */
export const Attention = Closed('Attention', {
  type: Type.Literal('attention'),
  open_reviews: Nullable(Count),
  unknown_operations: Nullable(Count),
  disputes: Nullable(
    Closed('AttentionDisputes', {
      ...members,
      next_evidence_due_at: Nullable(
        Described(Timestamp, 'When the first of them must be answered; null: there is none'),
      ),
    }),
  ),
  unmatched_report_lines: Nullable(Count),
  failed_webhook_deliveries: Nullable(Count),
  monitoring_incidents: Nullable(Count),
  hosted_page_incidents: Nullable(Count),
  open_circuits: Nullable(Count),
  proposals: Nullable(Count),
  verification: Nullable(
    Closed('AttentionVerification', {
      verified_at: Timestamp,
      findings: Described(Type.Integer(), 'Rows that differ from the journal'),
      broken_links: Described(
        Type.Integer(),
        'Links of the journal’s and the audit log’s chains that are not as they were sealed',
      ),
    }),
  ),
})
export type Attention = Static<typeof Attention>
