import type { Screening } from '../../anti-fraud/screening.schema.ts'
import type { TransactionThreeDSecureSummary } from '../../three-d-secure/three-d-secure.schema.ts'

/** What a check found beyond whether the payment may go on. */
export interface CheckFindings {
  /** Absent: the card takes no part in 3-D Secure, or the cardholder is still being asked. */
  threeDSecure?: TransactionThreeDSecureSummary
  screening?: Screening
  /** What was asked and answered, redacted: lines of the transaction's story (semantics §3.17). */
  timeline: { name: string; context: Record<string, unknown> }[]
}
