import type { Screening } from '../../anti-fraud/screening.schema.ts'
import type { Exchange } from '../../connectors/contract/call.ts'
import type { BookFinding } from '../../connectors/contract/outcome.ts'
import type { TransactionThreeDSecureSummary } from '../../three-d-secure/three-d-secure.schema.ts'
import type { OperationOutcome } from '../operation.ts'

/** What a call came to. */
export interface SendResult {
  outcome: OperationOutcome
  exchanges: Exchange[]
  /** Of a screening or an authentication. */
  findings?: CheckFindings
}

/** What the books say of an operation. */
export interface LookUpResult {
  finding: BookFinding<OperationOutcome>
  exchanges: Exchange[]
  findings?: CheckFindings
}

/** What a check found beyond whether the payment may go on. */
export interface CheckFindings {
  /** Absent: the card takes no part in 3-D Secure, or the cardholder is still being asked. */
  threeDSecure?: TransactionThreeDSecureSummary
  screening?: Screening
  /** What was asked and answered, redacted: lines of the transaction's story (semantics §3.17). */
  timeline: { name: string; context: Record<string, unknown> }[]
}
