import type { ErrorBody } from '../generated/schemas.ts'

/** One thing that is wrong with a request. */
export interface ErrorDetail {
  /** Which part of the request: `body`, `query`, `path` or `header`. */
  location: string
  /** A JSON pointer in the body, such as `/payment_method/number`; elsewhere the parameter's name. */
  pointer: string
  /** Text for people. */
  message: string
  type: string
}

/** `code` of an error. Those that the API answers, and those of answers without one. */
export type ErrorCode =
  | ErrorBody['code']
  | 'validation_error'
  | 'connection_failed'
  | 'timeout'
  | 'unreadable_answer'

export interface ErrorFacts {
  message: string
  /** The HTTP status; 0: there was no answer. */
  status: number
  code: ErrorCode
  details?: readonly ErrorDetail[]
  resourceId?: string | undefined
  nextCursor?: string | undefined
  requestId?: string | undefined
  retryAfterMs?: number | undefined
  cause?: unknown
}

/** A request that was not carried out. A declined payment is not an error: its status and `error_code` say so. */
export class RailyardError extends Error {
  override name = 'RailyardError'
  /** The HTTP status; 0: there was no answer. */
  readonly status: number
  readonly code: ErrorCode
  /** What is wrong with the request, one entry for each member. */
  readonly details: readonly ErrorDetail[]
  /** On 409: the record that exists already. */
  readonly resourceId: string | undefined
  /** On 410: the cursor from which the list can be read. */
  readonly nextCursor: string | undefined
  /** Railyard's log has more about the request under this id. */
  readonly requestId: string | undefined
  /** How long the answer asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Whether the same request may be sent again: a POST under the same idempotency key. */
  retryable = false
  /** The idempotency key of a POST: send it again under this key. */
  idempotencyKey: string | undefined

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.status = facts.status
    this.code = facts.code
    this.details = facts.details ?? []
    this.resourceId = facts.resourceId
    this.nextCursor = facts.nextCursor
    this.requestId = facts.requestId
    this.retryAfterMs = facts.retryAfterMs
  }
}

/** There was no whole answer: the request may have been carried out. */
export class ConnectionError extends RailyardError {
  override name = 'ConnectionError'
}
