import type {
  Facts,
  FailedOutcome,
  Outcome,
  References,
  UnknownOutcome,
  UnprocessedOutcome,
} from './connector.ts'
import { type ErrorCode, errorCodes } from './error-codes.ts'

export const unknownOutcome = (reason: string): UnknownOutcome => ({ status: 'unknown', reason })

export const failedOutcome = (code: ErrorCode, facts: Facts = {}): FailedOutcome<ErrorCode> => ({
  status: 'failed',
  code,
  facts,
  references: {},
})

/** A refusal: declined if its code is a decline (semantics §3.10), else failed. */
export const refusedOutcome = (code: ErrorCode, facts: Facts = {}, references: References = {}): Outcome =>
  errorCodes[code].group === 'decline'
    ? { status: 'declined', code, facts, references }
    : { status: 'failed', code, facts, references }

/** For a request that did not reach the payment service, or that it refused before it read it. */
export const unprocessedOutcome = (code: ErrorCode, facts: Facts): UnprocessedOutcome<ErrorCode> => ({
  ...failedOutcome(code, facts),
  unprocessed: true,
})

/**
 * Marks a failure as unprocessed if its HTTP status says that the provider stored nothing under the request's
 * key. Other outcomes are unchanged.
 */
export const markUnprocessed = (
  outcome: Outcome,
  status: number,
  unprocessedStatuses: readonly number[],
): Outcome =>
  outcome.status === 'failed' && unprocessedStatuses.includes(status)
    ? { ...outcome, unprocessed: true }
    : outcome
