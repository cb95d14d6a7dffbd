import type { Call, Facts, Outcome, References } from '../connector.ts'
import { type ErrorCode, errorCodes } from '../error-codes.ts'
import type { HttpAnswer } from '../http-message.ts'
import { issueOf, type Movement, type Order } from './answer.schema.ts'
import { declines } from './declines.ts'
import { fromMoney } from './money.ts'

/** A "no": of the buyer's account or their bank, or a technical one. */
export function refused(code: ErrorCode, facts: Facts = {}, references: References = {}): Outcome {
  return { status: errorCodes[code].group === 'decline' ? 'declined' : 'failed', code, facts, references }
}

/** The request did not get away, or was turned away at the door. */
export const unprocessed = (code: ErrorCode, reason: string): Outcome => ({
  status: 'failed',
  code,
  facts: { raw_response_code: reason },
  references: {},
  unprocessed: true,
})

export const unknownOutcome = (reason: string): Outcome => ({ status: 'unknown', reason })

/** What a refusal says by its status alone, where its issue says nothing that we know. */
const byStatus: Partial<Record<number, ErrorCode>> = {
  400: 'invalid_service_request',
  401: 'invalid_service_credentials',
  403: 'insufficient_service_permissions',
  404: 'unknown_service_resource',
  422: 'unknown_error',
  429: 'service_rate_limit',
}

/** Of these, the statuses of who turns away at the door. */
const unprocessedStatuses: readonly number[] = [401, 403, 429]

/** The same request is still being carried out: its outcome is to come. */
const inProgressIssues = new Set(['PREVIOUS_REQUEST_IN_PROGRESS', 'ORDER_COMPLETION_IN_PROGRESS'])

/** An answer that brings no result → what happened. Undefined: it brings one. */
export function toRefusal(answer: HttpAnswer): Outcome | undefined {
  if (answer.lost) return answer.sent ? unknownOutcome(answer.reason) : unprocessed('service_network_error', answer.reason)
  const { status, body } = answer
  if (status >= 200 && status < 300) return undefined
  const { issue, description } = issueOf(body)
  const fallback = byStatus[status]
  // a conflict may be with our own request that is still on its way; of a 5xx nobody knows how far it came
  if (!fallback || (issue && inProgressIssues.has(issue))) return unknownOutcome(`HTTP ${status} ${issue ?? ''}`.trimEnd())
  const known = issue && declines[issue]
  const code = known || fallback
  const refusal = refused(code, { raw_response_code: issue ?? `${status}`, raw_response_description: description })
  return refusal.status === 'failed' && !known && unprocessedStatuses.includes(status) ? { ...refusal, unprocessed: true } : refusal
}

/** What the statuses of authorizations, captures and refunds mean. A payment that was given back has been made. */
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

/** An authorization, a capture or a refund in the provider's books → what became of the operation that made it. */
export function toOutcome({ operation }: Call, movement: Movement, references: References): Outcome {
  const meaning = isKnown(movement.status) ? meanings[movement.status] : undefined
  if (!meaning) return unknownOutcome(`its status is ${movement.status}`)
  const code = movement.processor_response?.response_code ?? null
  const facts: Facts = code ? { raw_response_code: code } : {}
  if (meaning === 'pending') return { status: 'pending', facts, references }
  if (meaning !== 'approved') return refused((code && declines[code]) || meaning, { raw_response_code: code ?? movement.status }, references)
  const amount = fromMoney(movement.amount, operation.currency)
  return amount === undefined ? unknownOutcome('the amount cannot be read') : { status: 'approved', amount, facts, references }
}

/** Who paid. */
export const payerOf = ({ payer }: Order): Record<string, string> => ({
  ...(payer?.payer_id && { payer_id: payer.payer_id }),
  ...(payer?.email_address && { payer_email: payer.email_address }),
})
