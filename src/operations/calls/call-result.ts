import type { Exchange } from '../../connectors/contract/call.ts'
import type { BookFinding } from '../../connectors/contract/outcome.ts'
import type { OperationOutcome } from '../operation.ts'
import type { CheckFindings } from './check-findings.ts'

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
