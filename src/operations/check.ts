import type { TransactionThreeDSecureSummary } from '../three-d-secure/three-d-secure.schema.ts'

/** What an anti-fraud service said of a payment. */
export interface Screening {
  service: { id: string; name: string; definition_id: string }
  /** `pending` while it is being asked; `exception`: there was no answer that can be read. */
  decision: 'accept' | 'error' | 'exception' | 'reject' | 'review' | 'skipped' | 'pending'
  /** The service's own id of its check; null: it gave none. */
  check_id: string | null
}

/** What a check found beyond whether the payment may go on. */
export interface Findings {
  /** Absent: the card takes no part in 3-D Secure, or the cardholder is still being asked. */
  threeDSecure?: TransactionThreeDSecureSummary
  screening?: Screening
  /** What was asked and answered, redacted: lines of the transaction's story (SEMANTICS §3.17). */
  story: { name: string; context: Record<string, unknown> }[]
}
