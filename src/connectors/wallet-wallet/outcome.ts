import type { Call } from '../contract/call.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import type { Outcome, References, ResponseDetails } from '../contract/outcome.ts'
import { markUnprocessed, refusedOutcome, unknownOutcome, unprocessedOutcome } from '../contract/outcome.ts'
import type { HttpAnswer } from '../wire/http-message.ts'
import { issueOf, type Movement, type Order } from './answer.schema.ts'
import { declines } from './declines.ts'
import { fromMoney } from './money.ts'

/** For a request that was not sent, or that the provider refused before it read it. */
export const unprocessed = (code: ErrorCode, reason: string): Outcome =>
  unprocessedOutcome(code, { raw_response_code: reason })

/** The code of a refusal without a known issue, by its status. */
const byStatus: Partial<Record<number, ErrorCode>> = {
  400: 'invalid_service_request',
  401: 'invalid_service_credentials',
  403: 'insufficient_service_permissions',
  404: 'unknown_service_resource',
  422: 'unknown_error',
  429: 'service_rate_limit',
}

/** The statuses after which the provider has stored nothing under the request's key. */
const unprocessedStatuses: readonly number[] = [401, 403, 429]

/** Issues of a request whose first sending is still in progress. */
const inProgressIssues = new Set(['PREVIOUS_REQUEST_IN_PROGRESS', 'ORDER_COMPLETION_IN_PROGRESS'])

/** The outcome in an answer without a result; undefined: the answer has one. */
export function toRefusal(answer: HttpAnswer): Outcome | undefined {
  if (answer.lost)
    return answer.sent ? unknownOutcome(answer.reason) : unprocessed('service_network_error', answer.reason)
  const { status, body } = answer
  if (status >= 200 && status < 300) return undefined
  const { issue, description } = issueOf(body)
  const fallback = byStatus[status]
  // a conflict may be with our own request in progress, and after a 5xx it is open how far the provider got
  if (!fallback || (issue && inProgressIssues.has(issue)))
    return unknownOutcome(`HTTP ${status} ${issue ?? ''}`.trimEnd())
  const mapped = issue && declines[issue]
  const code = mapped || fallback
  const refusal = refusedOutcome(code, {
    raw_response_code: issue ?? `${status}`,
    raw_response_description: description,
  })
  return mapped ? refusal : markUnprocessed(refusal, status, unprocessedStatuses)
}

/**
 * The meaning of the statuses of authorizations, captures and refunds. A payment that was refunded has been
 * made.
 */
const meanings = {
  CREATED: 'approved',
  CAPTURED: 'approved',
  PARTIALLY_CAPTURED: 'approved',
  COMPLETED: 'approved',
  PARTIALLY_REFUNDED: 'approved',
  REFUNDED: 'approved',
  PENDING: 'pending',
  DENIED: 'issuer_decline',
  DECLINED: 'issuer_decline',
  FAILED: 'service_error',
  CANCELLED: 'canceled',
  VOIDED: 'canceled',
} as const satisfies Record<string, 'approved' | 'pending' | ErrorCode>

const isKnown = (status: string): status is keyof typeof meanings => Object.hasOwn(meanings, status)

/** The outcome of the operation that made this authorization, capture or refund. */
export function toOutcome({ operation }: Call, movement: Movement, references: References): Outcome {
  const meaning = isKnown(movement.status) ? meanings[movement.status] : undefined
  if (!meaning) return unknownOutcome(`its status is ${movement.status}`)
  const code = movement.processor_response?.response_code ?? null
  const facts: ResponseDetails = code ? { raw_response_code: code } : {}
  if (meaning === 'pending') return { status: 'pending', facts, references }
  if (meaning !== 'approved')
    return refusedOutcome(
      (code && declines[code]) || meaning,
      { raw_response_code: code ?? movement.status },
      references,
    )
  const amount = fromMoney(movement.amount, operation.currency)
  return amount === undefined
    ? unknownOutcome('the amount cannot be read')
    : { status: 'approved', amount, facts, references }
}

/** The payer's identifiers. */
export const payerOf = ({ payer }: Order): Record<string, string> => ({
  ...(payer?.payer_id && { payer_id: payer.payer_id }),
  ...(payer?.email_address && { payer_email: payer.email_address }),
})

/** The identifier of payments whose authorization was captured without ending it: there may be more captures. */
export const PARTS_IDENTIFIER = 'payment_service_captured_in_parts'
