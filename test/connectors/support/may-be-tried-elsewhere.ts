import { errorCodes } from '../../../src/connectors/contract/error-codes.ts'
import type { Outcome } from '../../../src/connectors/contract/outcome.ts'

/** Whether a refusal permits an attempt at another payment service. */
export const mayBeTriedElsewhere = (outcome: Outcome | undefined): boolean =>
  outcome !== undefined &&
  'code' in outcome &&
  errorCodes[outcome.code].retriable &&
  outcome.isHardDecline !== true
